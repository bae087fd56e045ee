-- purpose: one number that changes with what notes search reads, and with nothing else
-- params:
with parts as (
    select hash(sha, level, project, query_id, query, body, trust, author, created_at, tags) as part
    from derived.current_node
    union all
    select hash(owner, ordinal, part, starts, stops, text_sha, terms, counts)
    from passage
    union all
    select hash(path, node_sha, line_start, retired_at)
    from source
    where kind = 'note'
    union all
    select hash(id, tool, subcommand, signature, scope, symptom, resolution, command, fix_command)
    from lesson
    union all
    select hash(lesson_event.id, lesson_event.happened_at, tool_call.path, tool_call.line)
    from lesson_event
    left join tool_call on lesson_event.call_id = tool_call.id
    union all
    select hash(lesson_id, verdict)
    from lesson_verdict
    union all
    -- Vectors of lessons are added by search itself.
    select hash(text_sha, model_fingerprint)
    from embedding_384
    where text_sha in (select text_sha from passage)
)
select count(*) || ':' || coalesce(bit_xor(part), 0)
from parts
