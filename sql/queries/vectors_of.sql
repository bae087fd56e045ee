-- purpose: the vectors of one model for the incoming texts
-- params: model
select text_sha, vector
from embedding_384
where model_fingerprint = $model and text_sha in (select text_sha from incoming)
order by text_sha
