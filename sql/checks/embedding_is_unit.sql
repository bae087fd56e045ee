-- purpose: every vector has length one (zero or NaN would sort first)
select text_sha, model_fingerprint
from embedding_384
where not coalesce(array_inner_product(vector, vector) between 0.99 and 1.01, false)
