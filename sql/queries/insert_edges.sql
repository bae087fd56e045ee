-- purpose: keep new edges between nodes
-- params:
insert into node_edge
select child, parent, role from incoming
on conflict do nothing
