-- purpose: chunks of sessions that no transcript gives at present hold no longer
-- params: at
update node_validity
-- A clock that was set back must not make an interval end before it starts.
set valid_until = greatest($at::timestamp, valid_from)
where valid_until is null
    and sha in (select sha from memory_node where level = 'L0' and list_contains(tags, 'transcript'))
    and sha not in (select node_sha from source where retired_at is null)
