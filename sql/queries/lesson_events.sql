-- purpose: what happened to one lesson, in order, with the place in the transcript
-- params: lesson_id
-- units: byte_end is that of the span kept as evidence; where none was kept, the place of the call's first byte
select
    lesson_event.kind, lesson_event.session, lesson_event.happened_at, tool_call.path,
    tool_call.line, tool_call.command, tool_call.byte_start,
    coalesce(
        (
            select max(source.byte_end)
            from source
            where
                source.node_sha = tool_call.node_sha and source.path = tool_call.path
                and source.byte_start = tool_call.byte_start
        ),
        tool_call.byte_start
    ) as byte_end
from lesson_event
inner join tool_call on lesson_event.call_id = tool_call.id
where lesson_event.lesson_id = $lesson_id
order by lesson_event.happened_at, lesson_event.kind, lesson_event.id
