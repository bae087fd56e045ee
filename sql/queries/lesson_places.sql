-- purpose: where each lesson was met last, in which transcript and line
-- params:
select lesson_event.lesson_id, tool_call.path, tool_call.line
from lesson_event
inner join tool_call on lesson_event.call_id = tool_call.id
where lesson_event.kind in ('failure', 'fix')
qualify row_number() over (
    partition by lesson_event.lesson_id
    order by lesson_event.happened_at desc nulls last, lesson_event.kind = 'fix' desc, lesson_event.id
) = 1
order by lesson_event.lesson_id
