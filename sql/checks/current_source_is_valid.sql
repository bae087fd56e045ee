-- purpose: what a note file gives at present is valid
select source.path, source.node_sha
from source
where source.retired_at is null
    and source.node_sha not in (select sha from node_validity where valid_until is null)
