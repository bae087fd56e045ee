-- purpose: no two promoted skills share a name
select name, count(*) as skills
from skill
where state = 'promoted'
group by name
having count(*) > 1
