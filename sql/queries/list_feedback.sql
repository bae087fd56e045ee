-- purpose: what people said, oldest first, with the project of the match that they mean
-- params:
select
    feedback.id,
    feedback.match_id,
    feedback.said_at,
    feedback.verdict,
    feedback.task,
    feedback.skill_name,
    feedback.note,
    match_log.project
from feedback
left join match_log on feedback.match_id = match_log.id
order by feedback.said_at, feedback.id
