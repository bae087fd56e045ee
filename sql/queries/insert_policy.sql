-- purpose: keep how the shortlist weighs its evidence
-- params: cosine, clause, lexical, negative, opposed, k1, b, mean_length, documents
insert into shortlist_policy
values ($cosine, $clause, $lexical, $negative, $opposed, $k1, $b, $mean_length, $documents)
