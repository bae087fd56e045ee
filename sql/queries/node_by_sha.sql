-- purpose: one node, valid or not
-- params: sha
select sha, level, project, query_id, query, body, trust, author, created_at, tags
from memory_node
where sha = $sha
