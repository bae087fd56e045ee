-- purpose: which skills cover each term and how far, with their places in the incoming list of paths
-- grain: one row a term and skill, in order of term, then place
-- params:
-- units: see view term_cover
select term_cover.term, incoming.place, term_cover.cover
from derived.term_cover
inner join incoming on term_cover.path = incoming.path
order by term_cover.term, incoming.place
