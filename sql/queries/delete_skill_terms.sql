-- purpose: forget the terms of skills whose file is gone or has changed
-- params:
delete from skill_term where skill_path in (select path from incoming)
