-- purpose: the labelled tasks of one set, in their file's order
-- params: name
select text, expected, project, grp, kind, split, coalesce(forbidden, []), matched_on
from task
where task_set = $name
order by ordinal
