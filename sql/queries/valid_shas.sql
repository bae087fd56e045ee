-- purpose: the shas of the valid nodes
-- params:
select sha from derived.current_node order by sha
