-- purpose: every part of a valid note or of a lesson with its vector, one for every model
-- grain: one row a part and model; kind is 'note' or 'lesson', level null for a lesson
-- units: vector is L2-normalised, so an inner product is a cosine in [-1, 1]
-- source: passage, current_node, lesson, embedding_384
with found as (
    select sha as id, 'note' as kind, level, project, project || '/' || query_id as name
    from derived.current_node
    union all
    select id, 'lesson' as kind, null as level, scope as project, id as name
    from lesson
)

select
    found.*,
    passage.ordinal,
    passage.part,
    embedding_384.model_fingerprint,
    embedding_384.vector
from found
inner join passage on found.id = passage.owner
inner join embedding_384 on passage.text_sha = embedding_384.text_sha
