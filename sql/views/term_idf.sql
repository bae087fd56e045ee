-- purpose: how rare each known term is, over the shipped lexicon and the promoted skills together
-- grain: one row a term
-- units: idf in nats, > 0; a term that is not here has document frequency 0 (see term_idf_unknown)
-- source: background_term, term_cover, skill, shortlist_policy
with catalogue as (
    select term, count(*) as df
    from derived.term_cover
    group by term
),

documents as (
    select
        (select background_documents from shortlist_policy)
        + (select count(*) from skill where state = 'promoted') as n
)

select
    coalesce(background_term.term, catalogue.term) as term,
    derived.idf(
        coalesce(background_term.df, 0) + coalesce(catalogue.df, 0), documents.n
    ) as idf
from background_term
full outer join catalogue on background_term.term = catalogue.term
cross join documents
