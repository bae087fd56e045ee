-- purpose: promoted skills whose positive texts say nearly the same: they compete for every task
-- grain: one row an ordered pair of two skills and model, where the cosine is 0.8 or more
-- units: cosine in [-1, 1]
-- source: skill_vector
select
    one.name,
    one.path,
    other.name as neighbour,
    other.path as neighbour_path,
    one.model_fingerprint,
    array_inner_product(one.vector, other.vector)::double as cosine
from derived.skill_vector as one
inner join derived.skill_vector as other
    on one.model_fingerprint = other.model_fingerprint and one.path <> other.path
where array_inner_product(one.vector, other.vector) >= 0.8
