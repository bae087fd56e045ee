-- purpose: the note file that gave each node, the present one first, then the latest
-- params:
select node_sha, path
from source
where kind = 'note'
qualify row_number() over (
    partition by node_sha
    order by retired_at is not null, retired_at desc, path
) = 1
order by node_sha
