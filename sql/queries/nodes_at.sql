-- purpose: the valid nodes at one address, newest first, ties by level (high first) then sha
-- params: project, query_id
-- units: created_at, valid_from in UTC
select sha, level, project, query_id, query, body, trust, author, created_at, tags
from derived.current_node
where project = $project and query_id = $query_id
order by valid_from desc, level desc, sha
