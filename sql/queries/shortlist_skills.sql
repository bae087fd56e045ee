-- purpose: the promoted skills nearest to one task
-- params: vector, terms, model, project, named, k
-- units: see macro shortlist_skills
select path, name, cosine, clause, lexical, negative, hybrid
from derived.shortlist_skills(
    $vector::float[384], $terms::varchar[], $model, $project, $named::varchar[], $k
)
