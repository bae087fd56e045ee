-- purpose: the idf of a term that occurs nowhere
-- grain: one row
-- units: idf in nats
-- source: shortlist_policy, skill
select derived.idf(
    0,
    (select background_documents from shortlist_policy)
    + (select count(*) from skill where state = 'promoted')
) as idf
