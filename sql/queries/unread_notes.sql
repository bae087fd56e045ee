-- purpose: how many notes of the vault have no passages yet
-- params:
select count(distinct node_sha)
from source
where kind = 'note' and retired_at is null and node_sha not in (select owner from passage)
