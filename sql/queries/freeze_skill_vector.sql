-- purpose: hold what view skill_vector says as a table of its name, for a snapshot; the view goes on as skill_vector_live
-- params:
alter view derived.skill_vector rename to skill_vector_live;
create table derived.skill_vector as select * from derived.skill_vector_live order by name, path;
