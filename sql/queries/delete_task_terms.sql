-- purpose: forget the terms of one task set before they are loaded anew
-- params: name
delete from task_term where task_set = $name
