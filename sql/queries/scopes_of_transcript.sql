-- purpose: the projects that the calls of one transcript belong to
-- params: path
select distinct scope
from tool_call
where path = $path or starts_with(path, $path || '/')
order by scope
