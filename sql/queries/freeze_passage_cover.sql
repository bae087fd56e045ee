-- purpose: hold what view passage_cover says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.passage_cover order by term, owner, ordinal;
drop view derived.passage_cover;
alter table derived.frozen rename to passage_cover;
