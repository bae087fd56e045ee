-- purpose: the nodes that hold now: an open interval of validity
-- grain: one row a valid node
-- units: created_at, valid_from in UTC
-- source: memory_node, node_validity
select
    memory_node.*,
    node_validity.valid_from
from memory_node
inner join node_validity on memory_node.sha = node_validity.sha
where node_validity.valid_until is null
