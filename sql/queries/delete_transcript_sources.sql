-- purpose: a newer parser reads this transcript anew: the places that the older one gave go
-- params: path
delete from source
where kind = 'transcript' and (path = $path or starts_with(path, $path || '/'))
