-- purpose: hold what view clause_vector says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.clause_vector order by path, ordinal;
drop view derived.clause_vector;
alter table derived.frozen rename to clause_vector;
