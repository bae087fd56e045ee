-- purpose: hold what view search_part says as a table of its name, for a snapshot that never changes
-- params:
create table derived.frozen as select * from derived.search_part order by kind, id, ordinal;
drop view derived.search_part;
alter table derived.frozen rename to search_part;
