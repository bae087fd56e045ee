-- purpose: passages of neither a node nor a lesson, or that reach beyond their node's body
select passage.owner, passage.ordinal
from passage
left join memory_node on passage.owner = memory_node.sha
left join lesson on passage.owner = lesson.id
where (memory_node.sha is null and lesson.id is null)
    or passage.stops > length(memory_node.body)
