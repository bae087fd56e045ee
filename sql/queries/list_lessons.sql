-- purpose: all lessons, the surest first, with the L0 nodes that show them
-- params:
select
    id, tool, subcommand, signature, scope, symptom, resolution, command, fix_command, state,
    seen, sessions, fixes, flaky, contradictions, first_seen, last_seen, confidence,
    (
        select list(distinct lesson_event.node_sha order by lesson_event.node_sha)
        from lesson_event
        where lesson_event.lesson_id = lesson_current.id and lesson_event.node_sha <> ''
    ) as evidence
from derived.lesson_current
order by state = 'pinned' desc, state = 'retired', confidence desc, seen desc, tool, id
