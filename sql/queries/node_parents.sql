-- purpose: the nodes that one node was made from, with the role of each
-- params: sha
select memory_node.project || '/' || memory_node.query_id as address, node_edge.role, node_edge.parent
from node_edge
inner join memory_node on node_edge.parent = memory_node.sha
where node_edge.child = $sha
order by address, role, node_edge.parent
