-- purpose: a transcript was rewritten: what it gave at its old places holds there no longer
-- params: path, at
update source
set retired_at = $at::timestamp
where kind = 'transcript' and retired_at is null and (path = $path or starts_with(path, $path || '/'))
