-- purpose: keep the distinct terms of the tasks of one set
-- params: name
insert into task_term
select distinct $name, ordinal, term from incoming
