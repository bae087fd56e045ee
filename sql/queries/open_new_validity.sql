-- purpose: let nodes hold that have no open interval yet
-- params: at
insert into node_validity
select distinct incoming.sha, $at::timestamp, null, null
from incoming
where incoming.sha not in (select sha from node_validity where valid_until is null)
-- An interval that ended as it began goes on.
on conflict do update set valid_until = null, superseded_by = null
