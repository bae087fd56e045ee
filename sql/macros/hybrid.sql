-- purpose: the one definition of the shortlist's score: meaning and words together, as a logit
-- params: cosine, clause, lexical, negative, policy
-- units: unbounded; cosine, clause, negative in [-1, 1], lexical in [0, 1]; weights in shortlist_policy
create or replace macro derived.hybrid(cosine, clause, lexical, negative, policy) as
    policy.bias
    + policy.cosine_weight * cosine
    + policy.clause_weight * clause
    + policy.lexical_weight * lexical
    + policy.negative_weight * negative
