-- purpose: clauses and terms belong to a skill
select skill_path, 'clause' as part from skill_clause
where skill_path not in (select path from skill)
union all
select skill_path, 'term' as part from skill_term
where skill_path not in (select path from skill)
