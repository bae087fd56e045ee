-- purpose: forget the tasks of one set before it is loaded anew
-- params: name
delete from task where task_set = $name
