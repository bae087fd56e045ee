-- purpose: every loaded task against every promoted skill that its project may see
-- grain: one row a task, skill and model
-- units: cosine, clause, negative in [-1, 1] (negative 0 where a skill has no negative clause);
--   lexical: share in [0, 1] of the task's idf mass that the positive text covers; hybrid unbounded
-- source: task, task_term, skill_vector, clause_vector, term_cover, term_idf, shortlist_policy
with asked as (
    select
        task_term.task_set,
        task_term.ordinal,
        task_term.term,
        coalesce(term_idf.idf, (select idf from derived.term_idf_unknown)) as idf
    from task_term
    left join derived.term_idf on task_term.term = term_idf.term
),

mass as (
    select task_set, ordinal, sum(idf order by term) as mass
    from asked
    group by task_set, ordinal
),

words as (
    select
        asked.task_set,
        asked.ordinal,
        term_cover.path,
        sum(asked.idf * term_cover.cover order by asked.term) as covered
    from asked
    inner join derived.term_cover on asked.term = term_cover.term
    group by asked.task_set, asked.ordinal, term_cover.path
),

clauses as (
    select
        task.task_set,
        task.ordinal,
        clause_vector.path,
        clause_vector.model_fingerprint,
        max(array_inner_product(clause_vector.vector, asked_vector.vector)::double)
            filter (where clause_vector.polarity = 'positive') as clause,
        max(array_inner_product(clause_vector.vector, asked_vector.vector)::double)
            filter (where clause_vector.polarity = 'negative') as negative
    from task
    inner join embedding_384 as asked_vector on task.text_sha = asked_vector.text_sha
    inner join derived.clause_vector
        on asked_vector.model_fingerprint = clause_vector.model_fingerprint
    group by task.task_set, task.ordinal, clause_vector.path, clause_vector.model_fingerprint
),

scored as (
    select
        task.task_set,
        task.ordinal,
        task.text as task,
        skill_vector.path,
        skill_vector.name,
        skill_vector.model_fingerprint,
        array_inner_product(skill_vector.vector, asked_vector.vector)::double as cosine,
        coalesce(clauses.clause, cosine) as clause,
        coalesce(words.covered / mass.mass, 0) as lexical,
        coalesce(clauses.negative, 0) as negative
    from task
    inner join embedding_384 as asked_vector on task.text_sha = asked_vector.text_sha
    inner join derived.skill_vector
        on asked_vector.model_fingerprint = skill_vector.model_fingerprint
        and derived.visible(skill_vector.projects, task.project)
    left join mass on task.task_set = mass.task_set and task.ordinal = mass.ordinal
    left join words
        on task.task_set = words.task_set
        and task.ordinal = words.ordinal
        and skill_vector.path = words.path
    left join clauses
        on task.task_set = clauses.task_set
        and task.ordinal = clauses.ordinal
        and skill_vector.path = clauses.path
        and skill_vector.model_fingerprint = clauses.model_fingerprint
)

select
    scored.*,
    derived.hybrid(cosine, clause, lexical, negative, policy) as hybrid,
    row_number() over (
        partition by task_set, ordinal, model_fingerprint
        order by derived.hybrid(cosine, clause, lexical, negative, policy) desc, name, path
    ) as place
from scored
cross join shortlist_policy as policy
