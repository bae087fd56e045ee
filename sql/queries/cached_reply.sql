-- purpose: the reply that a model once gave to a prompt
-- params: prompt_sha, model
select reply, usage from reply_cache where prompt_sha = $prompt_sha and model = $model
