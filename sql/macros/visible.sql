-- purpose: whether a project may see a skill; no project named means no filter
-- params: projects, in_project
create or replace macro derived.visible(projects, in_project) as
    in_project is null or len(projects) = 0 or list_contains(projects, in_project)
