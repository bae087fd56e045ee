-- purpose: both ends of every edge are nodes
select node_edge.child, node_edge.parent, node_edge.role
from node_edge
where node_edge.child not in (select sha from memory_node)
    or node_edge.parent not in (select sha from memory_node)
