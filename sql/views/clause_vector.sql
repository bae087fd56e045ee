-- purpose: clauses of promoted skills with their vector, one for every model that encoded them
-- grain: one row a clause and model
-- units: vector is L2-normalised, so an inner product is a cosine in [-1, 1]
-- source: skill, skill_clause, embedding_384
select
    skill.path,
    skill_clause.field,
    skill_clause.polarity,
    skill_clause.ordinal,
    skill_clause.text,
    embedding_384.model_fingerprint,
    embedding_384.vector
from skill
inner join skill_clause on skill.path = skill_clause.skill_path
inner join embedding_384 on skill_clause.text_sha = embedding_384.text_sha
where skill.state = 'promoted'
