-- purpose: keep calls with their outcome; one that is known stays as it is
-- params:
insert into tool_call by name
select
    id, session, agent, scope, branch, try_cast(happened_at as timestamp) as happened_at, path, line, byte_start, byte_end, tool,
    action, command, target, exit_code, failed, stopped, output, node_sha
from incoming
on conflict do nothing
