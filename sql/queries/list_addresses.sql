-- purpose: the addresses that hold a valid L1 or L2 node, in order
-- params:
select distinct project || '/' || query_id as address
from derived.current_node
where level in ('L1', 'L2')
order by address
