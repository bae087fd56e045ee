-- purpose: the notes and lessons nearest to a question, of one project, level and kind where asked
-- grain: one row a note or lesson, best first, ties by name then id: the first k, and those named
-- params: query_vec, query_terms, model, in_project, in_level, in_kind, named, k
-- units: whole, title and passage (of the best one) are cosines in [-1, 1]; lexical: share in
--   [0, 1] of the question's idf mass that the best passage covers with its title; place and
--   words_place are ordinals of the passages that are best by cosine and by words
create or replace macro derived.shortlist_notes(
    query_vec, query_terms, model, in_project, in_level, in_kind, named, k
) as table (
    with asked as (
        select
            wanted.term,
            coalesce(
                note_idf.idf, (select idf from derived.note_idf where term = '')
            ) as idf
        from (select unnest(query_terms::varchar[]) as term) as wanted
        left join derived.note_idf on wanted.term = note_idf.term
    ),

    mass as (select sum(idf order by term) as mass from asked),

    covered as (
        select
            passage_cover.owner,
            passage_cover.ordinal,
            sum(asked.idf * passage_cover.cover order by asked.term) as covered
        from derived.passage_cover
        inner join asked on passage_cover.term = asked.term
        group by passage_cover.owner, passage_cover.ordinal
    ),

    words as (
        select
            owner,
            max(covered) as covered,
            arg_max(ordinal, (covered, -ordinal)) as words_place
        from covered
        group by owner
    ),

    parts as (
        select
            id,
            kind,
            level,
            project,
            name,
            ordinal,
            part,
            array_inner_product(vector, query_vec::float[384])::double as cosine
        from derived.search_part
        where model_fingerprint = model
            and (in_project is null or project = in_project)
            and (in_level is null or level = in_level)
            and (in_kind is null or kind = in_kind)
    ),

    near as (
        select
            id,
            any_value(kind) as kind,
            any_value(level) as level,
            any_value(project) as project,
            any_value(name) as name,
            max(cosine) filter (where part = 'whole') as whole,
            max(cosine) filter (where part = 'title') as title,
            max(cosine) filter (where part = 'passage') as passage,
            arg_max(ordinal, (cosine, -ordinal)) filter (where part = 'passage') as place
        from parts
        group by id
    ),

    scored as (
        select
            near.*,
            coalesce(words.covered / mass.mass, 0) as lexical,
            words.words_place
        from near
        cross join mass
        left join words on near.id = words.owner
    )

    select
        scored.*,
        derived.note_evidence(whole, title, passage, lexical, kind, policy) as evidence
    from scored
    cross join note_policy as policy
    qualify
        row_number() over (order by evidence desc, name, id) <= k
        or list_contains(named::varchar[], id)
    order by evidence desc, name, id
)
