-- purpose: hold what view term_idf says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.term_idf order by term;
drop view derived.term_idf;
alter table derived.frozen rename to term_idf;
