-- purpose: keep the clauses of skills
-- params:
insert into skill_clause
select skill_path, field, polarity, ordinal, text_sha, text from incoming
