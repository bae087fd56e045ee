-- purpose: hold anew what view term_idf_unknown says, in a frozen snapshot
-- params:
create or replace table derived.term_idf_unknown as select * from derived.term_idf_unknown_live order by idf;
