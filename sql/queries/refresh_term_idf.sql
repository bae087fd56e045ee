-- purpose: hold anew what view term_idf says, in a frozen snapshot
-- params:
create or replace table derived.term_idf as select * from derived.term_idf_live order by term;
