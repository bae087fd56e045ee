-- purpose: a promoted skill lies under skills/<name>/, a draft under skills/_drafts/<name>/
select path, name, state
from skill
where path <> case state
        when 'promoted' then 'skills/' || name || '/SKILL.md'
        else 'skills/_drafts/' || name || '/SKILL.md'
    end
