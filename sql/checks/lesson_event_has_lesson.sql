-- purpose: every event belongs to a lesson and to a call
select id, lesson_id, call_id
from lesson_event
where lesson_id not in (select id from lesson) or call_id not in (select id from tool_call)
