-- purpose: keep a model's reply
-- params: prompt_sha, model, reply, usage, at
insert or replace into reply_cache
values ($prompt_sha, $model, $reply, $usage, $at::timestamp)
