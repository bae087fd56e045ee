-- purpose: no interval ends before it starts
select sha, valid_from, valid_until
from node_validity
where valid_until < valid_from
