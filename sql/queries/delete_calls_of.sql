-- purpose: this transcript is read anew: what is known of its calls goes
-- params: path
delete from tool_call where path = $path or starts_with(path, $path || '/')
