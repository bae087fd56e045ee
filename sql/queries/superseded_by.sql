-- purpose: what took a node's place: one row when the node is known and no longer valid
-- params: sha
select superseded_by
from node_validity
where sha = $sha and sha not in (select sha from node_validity where valid_until is null)
order by valid_from desc
limit 1
