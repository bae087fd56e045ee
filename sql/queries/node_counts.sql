-- purpose: valid nodes by level
-- params:
select level, count(*) from derived.current_node group by level order by level
