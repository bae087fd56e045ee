-- purpose: the notes and lessons nearest to one question
-- params: vector, terms, model, project, level, kind, named, k
-- units: see macro shortlist_notes
select
    id, kind, level, project, name, whole, title, passage, lexical, place, words_place, evidence
from derived.shortlist_notes(
    $vector::float[384], $terms::varchar[], $model, $project, $level, $kind, $named::varchar[], $k
)
