-- purpose: every node ever kept, in order of sha
-- params:
select sha, level, project, query_id, query, body, trust, author, created_at, tags
from memory_node
order by sha
