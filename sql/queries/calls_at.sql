-- purpose: the calls at the incoming places, in their order
-- params:
select
    id, session, agent, scope, branch,
    coalesce(strftime(happened_at, '%Y-%m-%dT%H:%M:%S.%gZ'), '') as happened_at, path, line, byte_start, byte_end,
    tool, action, command, target, exit_code, failed, stopped, output, node_sha
from tool_call
inner join incoming on tool_call.rowid = incoming.place
order by incoming.ordinal
