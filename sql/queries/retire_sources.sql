-- purpose: files that give their node no longer
-- params: at
update source
set retired_at = $at::timestamp
from incoming
where source.id = incoming.id
