-- purpose: drop the events of lessons of the incoming scopes, before they are worked out anew
-- params:
delete from lesson_event
where lesson_id in (select id from lesson where scope in (select scope from incoming))
