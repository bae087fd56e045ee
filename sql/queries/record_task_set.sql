-- purpose: note which file a task set holds
-- params: name, file_sha, at
insert or replace into task_set values ($name, $file_sha, $at::timestamp)
