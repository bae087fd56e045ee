-- purpose: which nodes have passages
-- params:
select distinct owner
from passage
order by owner
