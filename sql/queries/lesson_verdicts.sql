-- purpose: what people said of lessons
-- params:
select lesson_id, verdict, said_at
from lesson_verdict
order by lesson_id
