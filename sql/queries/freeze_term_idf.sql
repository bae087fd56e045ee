-- purpose: hold what view term_idf says as a table of its name, for a snapshot; the view goes on as term_idf_live
-- params:
alter view derived.term_idf rename to term_idf_live;
create table derived.term_idf as select * from derived.term_idf_live order by term;
