-- purpose: how often a promoted skill tops the shortlist of loaded tasks, its own and others'
-- grain: one row a skill, task set and model
-- units: topped, own and others count tasks; topped = own + others
-- source: shortlist, task, skill_vector
with topped as (
    select
        shortlist.task_set,
        shortlist.model_fingerprint,
        shortlist.path,
        list_contains(task.expected, shortlist.name) as is_own
    from derived.shortlist
    inner join task
        on shortlist.task_set = task.task_set and shortlist.ordinal = task.ordinal
    where shortlist.place = 1
)

select
    task_set.name as task_set,
    skill_vector.model_fingerprint,
    skill_vector.name,
    skill_vector.path,
    count(topped.path) as topped,
    count(*) filter (where topped.is_own) as own,
    count(*) filter (where not topped.is_own) as others
from derived.skill_vector
cross join task_set
left join topped
    on task_set.name = topped.task_set
    and skill_vector.model_fingerprint = topped.model_fingerprint
    and skill_vector.path = topped.path
group by task_set.name, skill_vector.model_fingerprint, skill_vector.name, skill_vector.path
