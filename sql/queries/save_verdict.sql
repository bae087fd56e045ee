-- purpose: note what a person said of a lesson; the newest word counts
-- params: lesson_id, verdict, at
insert or replace into lesson_verdict values ($lesson_id, $verdict, $at::timestamp)
