-- purpose: the promoted skills nearest to a task vector, among those that the project may see
-- grain: one row a skill, best first, ties by name then path, at most k
-- params: task_vec, model, in_project, k
-- units: cosine in [-1, 1]
create or replace macro derived.shortlist_skills(task_vec, model, in_project, k) as table (
    select
        path,
        name,
        description,
        when_to_use,
        array_inner_product(vector, task_vec::float[384]) as cosine
    from derived.skill_vector
    where model_fingerprint = model
        and (len(projects) = 0 or list_contains(projects, in_project))
    order by cosine desc, name, path
    limit k
)
