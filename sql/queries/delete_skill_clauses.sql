-- purpose: forget the clauses of skills whose file is gone or has changed
-- params:
delete from skill_clause where skill_path in (select path from incoming)
