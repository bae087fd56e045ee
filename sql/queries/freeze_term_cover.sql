-- purpose: hold what view term_cover says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.term_cover order by term, path;
drop view derived.term_cover;
alter table derived.frozen rename to term_cover;
