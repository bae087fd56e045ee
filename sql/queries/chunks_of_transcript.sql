-- purpose: the L0 nodes that one transcript gives, with their places in it
-- params: path
select
    memory_node.sha, source.session, memory_node.project, memory_node.author,
    strftime(memory_node.created_at, '%Y-%m-%dT%H:%M:%S.%gZ') as created_at, memory_node.body,
    source.path, source.line_start, source.line_end, source.byte_start, source.byte_end
from source
inner join memory_node on source.node_sha = memory_node.sha
where
    source.kind = 'transcript' and source.retired_at is null
    and (source.path = $path or starts_with(source.path, $path || '/'))
order by source.byte_start, source.id
