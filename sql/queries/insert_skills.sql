-- purpose: keep skills as their files say
-- params:
insert into skill
select
    path, name, projects, description, when_to_use, content_sha, state, generated_from, text_sha,
    record_sha
from incoming
