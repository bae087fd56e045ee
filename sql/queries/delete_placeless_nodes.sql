-- purpose: chunks of sessions that stand nowhere any more, and on which nothing rests, go
-- params:
delete from memory_node
where level = 'L0' and list_contains(tags, 'transcript')
    and sha not in (select node_sha from source)
    and sha not in (select parent from node_edge)
    and sha not in (select child from node_edge)
