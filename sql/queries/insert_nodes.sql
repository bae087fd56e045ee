-- purpose: keep new nodes; one that is known stays as it is
-- params:
insert into memory_node
select sha, level, project, query_id, query, body, trust, author, created_at, tags, text_sha
from incoming
on conflict do nothing
