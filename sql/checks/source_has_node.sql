-- purpose: every source gives a node that is kept
select id, path, node_sha
from source
where node_sha not in (select sha from memory_node)
