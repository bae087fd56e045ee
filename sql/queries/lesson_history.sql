-- purpose: how sure each lesson was after each day on which anything was met, in order of the days
-- params:
select lesson_id, day, confidence
from derived.lesson_history
order by day, lesson_id
