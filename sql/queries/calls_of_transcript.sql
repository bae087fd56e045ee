-- purpose: the calls that one transcript gave
-- params: path
select
    id, session, agent, scope, branch, strftime(happened_at, '%Y-%m-%dT%H:%M:%S.%gZ') as happened_at, path, line,
    byte_start, byte_end, tool, action, command, target, exit_code, failed, stopped, output, node_sha
from tool_call
where path = $path or starts_with(path, $path || '/')
order by id
