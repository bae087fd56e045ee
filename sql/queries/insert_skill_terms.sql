-- purpose: keep the terms of skills
-- params:
insert into skill_term
select skill_path, term, tf from incoming
