-- purpose: a newer parser reads this transcript anew: what the older one made of its calls goes
-- params: path
delete from tool_call where path = $path or starts_with(path, $path || '/')
