-- purpose: keep what people said, as told by `incoming`; where only a match is named, its task
-- params:
insert into feedback
select
    incoming.id,
    incoming.match_id,
    incoming.said_at,
    incoming.verdict,
    coalesce(incoming.task, match_log.task, '') as task,
    incoming.skill_name,
    incoming.note
from incoming
left join match_log on incoming.match_id = match_log.id
on conflict do nothing
