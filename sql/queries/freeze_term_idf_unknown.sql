-- purpose: hold what view term_idf_unknown says as a table of its name, for a snapshot; the view goes on as term_idf_unknown_live
-- params:
alter view derived.term_idf_unknown rename to term_idf_unknown_live;
create table derived.term_idf_unknown as select * from derived.term_idf_unknown_live order by idf;
