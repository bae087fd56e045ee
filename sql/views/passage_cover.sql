-- purpose: how far a passage, with its title, covers each of its terms (saturated tf of BM25)
-- grain: one row a passage and term
-- units: cover in (0, 1]; k1, b and the mean length are fixed, so that neighbours never move it
-- source: passage, note_policy
with counted as (
    select
        owner,
        ordinal,
        list_sum(counts) as length,
        unnest(terms) as term,
        unnest(counts) as tf
    from passage
    where part = 'passage'
)

select
    counted.owner,
    counted.ordinal,
    counted.term,
    least(
        1.0,
        counted.tf * (policy.k1 + 1) / (
            counted.tf
            + policy.k1 * (1 - policy.b + policy.b * counted.length / policy.mean_length)
        )
    ) as cover
from counted
cross join note_policy as policy
