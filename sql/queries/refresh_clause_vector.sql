-- purpose: bring the held table clause_vector up to date for the incoming paths of a frozen snapshot
-- params:
delete from derived.clause_vector where path in (select path from incoming);
insert into derived.clause_vector
select * from derived.clause_vector_live where path in (select path from incoming);
