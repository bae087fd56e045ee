-- purpose: note what was written as a draft
-- params: path, content_sha, node_sha, model, prompt_version, at
insert or replace into draft_record
values ($path, $content_sha, $node_sha, $model, $prompt_version, $at::timestamp)
