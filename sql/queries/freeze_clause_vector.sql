-- purpose: hold what view clause_vector says as a table of its name, for a snapshot; the view goes on as clause_vector_live
-- params:
alter view derived.clause_vector rename to clause_vector_live;
create table derived.clause_vector as select * from derived.clause_vector_live order by path, ordinal;
