-- purpose: the projects that calls belong to
-- params:
select distinct scope from tool_call order by scope
