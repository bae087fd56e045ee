-- purpose: keep calls with their outcome; one that is known stays as it is
-- params:
insert into tool_call
select
    id, session, agent, scope, branch, try_cast(happened_at as timestamp), path, line, byte_start, tool,
    action, command, target, exit_code, failed, stopped, output, node_sha
from incoming
on conflict do nothing
