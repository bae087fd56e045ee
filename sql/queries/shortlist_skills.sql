-- purpose: the promoted skills nearest to a task
-- params: vector, model, project, k
-- units: cosine in [-1, 1]
select path, name, description, when_to_use, cosine
from derived.shortlist_skills($vector::float[384], $model, $project, $k)
