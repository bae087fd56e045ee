-- purpose: the calls of the incoming scopes, thread by thread, each in order
-- params:
-- grain: one row a call, its rowid alone: the calls of a gigabyte of sessions would not fit into memory
select tool_call.rowid as place
from tool_call
where scope in (select scope from incoming)
order by scope, session, agent, happened_at nulls first, path, byte_start, id
