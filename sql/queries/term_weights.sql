-- purpose: the idf of every known term, and under the empty term that of one that occurs nowhere
-- grain: one row a term
-- params:
-- units: see view term_idf
select '' as term, idf from derived.term_idf_unknown
union all
select term, idf from derived.term_idf
