-- purpose: the passages of the valid nodes, in order
-- params:
select owner, ordinal, part, starts, stops, text_sha, terms, counts
from passage
where owner in (select sha from derived.current_node)
order by owner, ordinal
