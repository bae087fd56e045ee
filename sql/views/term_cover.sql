-- purpose: how far the positive text of a promoted skill covers each of its terms (saturated tf of BM25)
-- grain: one row a promoted skill and term
-- units: cover in (0, 1]; k1, b and the mean length are fixed, so that neighbours never move it
-- source: skill, skill_term, shortlist_policy
with counted as (
    select
        skill_term.skill_path,
        skill_term.term,
        skill_term.tf,
        sum(skill_term.tf) over (partition by skill_term.skill_path) as length
    from skill_term
    inner join skill on skill_term.skill_path = skill.path
    where skill.state = 'promoted'
)

select
    counted.skill_path as path,
    counted.term,
    least(
        1.0,
        counted.tf * (policy.k1 + 1) / (
            counted.tf
            + policy.k1 * (1 - policy.b + policy.b * counted.length / policy.mean_length)
        )
    ) as cover
from counted
cross join shortlist_policy as policy
