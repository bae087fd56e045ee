-- purpose: keep the tasks of one set, in their file's order
-- params: name
insert into task (
    task_set, ordinal, text, expected, project, grp, kind, split, text_sha, forbidden, matched_on
)
select
    $name, ordinal, text, expected, project, grp, kind, split, text_sha, forbidden, matched_on
from incoming
