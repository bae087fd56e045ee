-- purpose: the one definition of the shortlist's score: meaning and words, less what is sent away
-- params: cosine, clause, lexical, negative, policy
-- units: unbounded; cosine, clause, negative in [-1, 1], lexical in [0, 1]; weights, all >= 0, in
--   shortlist_policy; memskill/train/evidence.py states the same formula
create or replace macro derived.hybrid(cosine, clause, lexical, negative, policy) as
    policy.cosine_weight * cosine
    + policy.clause_weight * clause
    + policy.lexical_weight * lexical
    - policy.negative_weight * negative
    - policy.opposed_weight * greatest(0, negative - clause)
