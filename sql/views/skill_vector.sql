-- purpose: promoted skills with the vector of their positive text, one for every model that encoded it
-- grain: one row a promoted skill and model
-- units: vector is L2-normalised, so an inner product is a cosine in [-1, 1]
-- source: skill, embedding_384
select
    skill.path,
    skill.name,
    skill.projects,
    skill.description,
    skill.when_to_use,
    embedding_384.model_fingerprint,
    embedding_384.vector
from skill
inner join embedding_384 on skill.text_sha = embedding_384.text_sha
where skill.state = 'promoted'
