-- purpose: keep what was asked and answered, as told by `incoming`; what is kept already stays
-- params:
insert into match_log
select id, asked_at, task, project, floor, snapshot, answer from incoming
on conflict do nothing
