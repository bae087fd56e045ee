-- purpose: what was written at a draft's path
-- params: path
select content_sha, node_sha, model, prompt_version from draft_record where path = $path
