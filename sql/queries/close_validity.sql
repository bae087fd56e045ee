-- purpose: nodes that hold no longer, and what took their place
-- params: at
update node_validity
set valid_until = $at::timestamp, superseded_by = incoming.superseded_by
from incoming
where node_validity.sha = incoming.sha and node_validity.valid_until is null
