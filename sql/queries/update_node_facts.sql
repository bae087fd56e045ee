-- purpose: what a note says beside its content, which its sha does not cover, as its file says it now
-- params:
-- units: created_at in UTC; null where the note does not say, which keeps the time it had
update memory_node
set
    trust = incoming.trust,
    author = incoming.author,
    tags = incoming.tags,
    created_at = coalesce(incoming.created_at, memory_node.created_at)
from incoming
where memory_node.sha = incoming.sha
    and (memory_node.trust, memory_node.author, memory_node.tags, memory_node.created_at)
    is distinct from (
        incoming.trust,
        incoming.author,
        incoming.tags,
        coalesce(incoming.created_at, memory_node.created_at)
    )
