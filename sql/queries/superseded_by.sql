-- purpose: what took a node's place: one row when the node is known and no longer valid
-- params: sha
select max_by(superseded_by, valid_from)
from node_validity
where sha = $sha
having count(*) filter (where valid_until is null) = 0 and count(*) > 0
