-- purpose: hold what view skill_vector says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.skill_vector order by name, path;
drop view derived.skill_vector;
alter table derived.frozen rename to skill_vector;
