-- purpose: of labelled tasks, also the skills that are wrong and the field that should carry the match
alter table task add column forbidden varchar[] default [];
alter table task add column matched_on varchar;
