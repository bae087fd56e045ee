-- purpose: drop the lessons of the incoming scopes, before they are worked out anew
-- params:
delete from lesson where scope in (select scope from incoming)
