-- purpose: the valid nodes that have passages, in order of sha
-- params:
select sha, level, project, query_id, query, body, trust, author, created_at, tags
from derived.current_node
where sha in (select owner from passage)
order by sha
