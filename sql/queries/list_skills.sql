-- purpose: the skills of one state, by name then path
-- params: state
select path, name, description, when_to_use, projects, state, content_sha, generated_from
from skill
where state = $state
order by name, path
