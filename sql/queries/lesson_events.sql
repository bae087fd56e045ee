-- purpose: what happened to one lesson, in order, with the place in the transcript
-- params: lesson_id
-- units: byte_end lies behind the result, where that is in the same file, else behind the call; where an older
-- memskill read it, it is byte_start
select
    lesson_event.kind, lesson_event.session, lesson_event.happened_at, tool_call.path,
    tool_call.line, tool_call.command, tool_call.byte_start,
    coalesce(tool_call.byte_end, tool_call.byte_start) as byte_end
from lesson_event
inner join tool_call on lesson_event.call_id = tool_call.id
where lesson_event.lesson_id = $lesson_id
order by lesson_event.happened_at, lesson_event.kind, lesson_event.id
