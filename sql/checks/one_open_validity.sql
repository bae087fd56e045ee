-- purpose: a node holds in one interval at a time
select sha, count(*) as open_intervals
from node_validity
where valid_until is null
group by sha
having count(*) > 1
