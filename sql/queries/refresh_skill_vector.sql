-- purpose: bring the held table skill_vector up to date for the incoming paths of a frozen snapshot
-- params:
delete from derived.skill_vector where path in (select path from incoming);
insert into derived.skill_vector
select * from derived.skill_vector_live where path in (select path from incoming);
