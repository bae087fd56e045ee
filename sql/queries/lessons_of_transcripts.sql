-- purpose: how many lessons each place of a transcript shows
-- params:
-- grain: one row a (path of a call, lesson)
select distinct tool_call.path, lesson_event.lesson_id
from lesson_event
inner join tool_call on lesson_event.call_id = tool_call.id
order by all
