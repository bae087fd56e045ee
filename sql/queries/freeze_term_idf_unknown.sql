-- purpose: hold what view term_idf_unknown says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.term_idf_unknown order by idf;
drop view derived.term_idf_unknown;
alter table derived.frozen rename to term_idf_unknown;
