-- purpose: what was asked and answered, oldest first
-- params:
select id, asked_at, task, project, floor, snapshot, answer from match_log
order by asked_at, id
