-- purpose: the one definition of the shortlist's score: meaning and words together
-- params: cosine, clause, lexical, policy
-- units: unbounded, weights in shortlist_policy; cosine and clause in [-1, 1], lexical in [0, 1]
create or replace macro derived.hybrid(cosine, clause, lexical, policy) as
    policy.cosine_weight * cosine
    + policy.clause_weight * clause
    + policy.lexical_weight * lexical
