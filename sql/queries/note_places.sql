-- purpose: where each node stands: the present place first, then the latest, lines counted from 1
-- params:
select node_sha, path, line_start
from source
where node_sha in (select owner from passage)
qualify row_number() over (
    partition by node_sha
    order by retired_at is not null, retired_at desc, path, line_start
) = 1
order by node_sha
