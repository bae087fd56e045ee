-- purpose: the task sets that are loaded, with how many tasks each holds
-- params:
-- grain: one row a set, by name
select s.name, s.file_sha, count(t.ordinal) as tasks
from task_set s
left join task t on t.task_set = s.name
group by s.name, s.file_sha
order by s.name
