-- purpose: keep how the shortlist weighs its evidence
-- params: bias, cosine, clause, lexical, negative, k1, b, mean_length, documents
insert into shortlist_policy
values ($bias, $cosine, $clause, $lexical, $negative, $k1, $b, $mean_length, $documents)
