-- purpose: the promoted skills nearest to one task, among those that its project may see
-- grain: one row a skill, best first, ties by name then path: the first k, and those named
-- params: task_vec, task_terms, model, in_project, named, k
-- units: see view shortlist, whose twin this is (a test holds them equal)
create or replace macro derived.shortlist_skills(
    task_vec, task_terms, model, in_project, named, k
) as table (
    with asked as (
        select
            wanted.term,
            coalesce(term_idf.idf, (select idf from derived.term_idf_unknown)) as idf
        from (select unnest(task_terms::varchar[]) as term) as wanted
        left join derived.term_idf on wanted.term = term_idf.term
    ),

    mass as (select sum(idf order by term) as mass from asked),

    words as (
        select
            term_cover.path,
            sum(asked.idf * term_cover.cover order by asked.term) as covered
        from asked
        inner join derived.term_cover on asked.term = term_cover.term
        group by term_cover.path
    ),

    clauses as (
        select
            path,
            max(cosine) filter (where polarity = 'positive') as clause,
            max(cosine) filter (where polarity = 'negative') as negative
        from (
            select
                path,
                polarity,
                array_inner_product(vector, task_vec::float[384])::double as cosine
            from derived.clause_vector
            where model_fingerprint = model
        )
        group by path
    ),

    whole as (
        select
            path,
            name,
            array_inner_product(vector, task_vec::float[384])::double as cosine
        from derived.skill_vector
        where model_fingerprint = model and derived.visible(projects, in_project)
    ),

    scored as (
        select
            whole.path,
            whole.name,
            whole.cosine,
            coalesce(clauses.clause, whole.cosine) as clause,
            coalesce(words.covered / mass.mass, 0) as lexical,
            coalesce(clauses.negative, 0) as negative
        from whole
        cross join mass
        left join clauses on whole.path = clauses.path
        left join words on whole.path = words.path
    )

    select
        scored.*,
        derived.hybrid(cosine, clause, lexical, negative, policy) as hybrid
    from scored
    cross join shortlist_policy as policy
    qualify
        row_number() over (order by hybrid desc, name, path) <= k
        or list_contains(named::varchar[], name)
    order by hybrid desc, name, path
)
