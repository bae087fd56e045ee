-- purpose: the valid notes nearest to a query
-- params: vector, model, project, level, k
-- units: cosine in [-1, 1]
select sha, level, project, query_id, query, cosine
from derived.nearest_nodes($vector::float[384], $model, $project, $level, $k)
