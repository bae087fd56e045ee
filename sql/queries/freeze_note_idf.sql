-- purpose: hold what view note_idf says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.note_idf order by term;
drop view derived.note_idf;
alter table derived.frozen rename to note_idf;
