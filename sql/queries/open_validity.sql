-- purpose: nodes that hold from now on
-- params: at
insert into node_validity
select sha, $at::timestamp, null, null from incoming
