-- purpose: which positive and which negative clause of some skills is nearest to one task
-- grain: one row a skill that has clauses; of equally near ones the first
-- params: vector, model, paths
select
    path,
    arg_max(ordinal, (cosine, -ordinal)) filter (where polarity = 'positive') as positive,
    arg_max(ordinal, (cosine, -ordinal)) filter (where polarity = 'negative') as negative
from (
    select
        path,
        polarity,
        ordinal,
        array_inner_product(vector, $vector::float[384])::double as cosine
    from derived.clause_vector
    where model_fingerprint = $model and list_contains($paths::varchar[], path)
)
group by path
