-- purpose: which node each note file of the vault gives at present
-- params:
select path, node_sha, file_sha
from source
where kind = 'note' and retired_at is null
order by path
