-- purpose: keep lessons as they were worked out
-- params:
insert into lesson
select id, tool, subcommand, signature, scope, symptom, resolution, command, fix_command from incoming
