-- purpose: how rare each term is, over the shipped lexicon and the notes and lessons together
-- grain: one row a term; '' stands for every term that occurs nowhere
-- units: idf in nats, > 0
-- source: background_term, passage, note_policy
with held as (
    select owner, unnest(terms) as term
    from passage
),

own as (
    select term, count(distinct owner) as df
    from held
    group by term
    union all
    select '' as term, 0 as df
),

documents as (
    select
        (select max(background_documents) from note_policy)
        + (select count(distinct owner) from passage) as n
)

select
    coalesce(background_term.term, own.term) as term,
    derived.idf(coalesce(background_term.df, 0) + coalesce(own.df, 0), documents.n) as idf
from background_term
full outer join own on background_term.term = own.term
cross join documents
