-- purpose: keep what happened to lessons
-- params:
insert into lesson_event
select id, lesson_id, session, try_cast(happened_at as timestamp), kind, call_id, node_sha
from incoming
on conflict do nothing
