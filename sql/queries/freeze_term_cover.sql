-- purpose: hold what view term_cover says as a table of its name, for a snapshot; the view goes on as term_cover_live
-- params:
alter view derived.term_cover rename to term_cover_live;
create table derived.term_cover as select * from derived.term_cover_live order by term, path;
