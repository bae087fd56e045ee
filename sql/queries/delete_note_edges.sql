-- purpose: forget which notes some nodes were made from; edges to transcripts and history stay
-- params:
delete from node_edge
where child in (select sha from incoming)
    and role in ('evidence', 'synthesis')
    and parent in (select node_sha from source where kind = 'note')
