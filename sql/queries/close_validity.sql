-- purpose: nodes that hold no longer, and what took their place
-- params: at
update node_validity
set
    -- A clock that was set back must not make an interval end before it starts.
    valid_until = greatest($at::timestamp, node_validity.valid_from),
    superseded_by = incoming.superseded_by
from incoming
where node_validity.sha = incoming.sha and node_validity.valid_until is null
