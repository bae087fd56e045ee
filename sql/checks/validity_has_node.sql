-- purpose: every interval belongs to a node, and what took its place is one
select sha, superseded_by
from node_validity
where sha not in (select sha from memory_node)
    or (superseded_by is not null and superseded_by not in (select sha from memory_node))
