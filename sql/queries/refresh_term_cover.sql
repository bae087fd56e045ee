-- purpose: bring the held table term_cover up to date for the incoming paths of a frozen snapshot
-- params:
delete from derived.term_cover where path in (select path from incoming);
insert into derived.term_cover
select * from derived.term_cover_live where path in (select path from incoming);
