-- purpose: the one definition of how search weighs meaning and words of a note or lesson
-- params: whole, title, passage, lexical, kind, policy
-- units: a logit but for a constant; whole, title, passage are cosines in [-1, 1], lexical a share
--   in [0, 1]; weights in note_policy; memskill/match/notefit.py fits them
create or replace macro derived.note_evidence(whole, title, passage, lexical, kind, policy) as
    policy.whole_weight * whole
    + policy.title_weight * title
    + policy.passage_weight * passage
    + policy.lexical_weight * lexical
    + case kind when 'lesson' then policy.lesson_weight else 0 end
