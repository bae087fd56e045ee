-- purpose: which terms of a task one skill covers, with what each adds to the lexical share
-- params: terms, path
select wanted.term, round(coalesce(term_idf.idf, 0) * term_cover.cover, 4) as weight
from (select unnest($terms::varchar[]) as term) as wanted
inner join derived.term_cover on wanted.term = term_cover.term
left join derived.term_idf on wanted.term = term_idf.term
where term_cover.path = $path
order by weight desc, wanted.term
