-- purpose: which of the incoming texts have a vector of one model
-- params: model
select text_sha
from embedding_384
where model_fingerprint = $model and text_sha in (select text_sha from incoming)
order by text_sha
