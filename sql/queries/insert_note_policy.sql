-- purpose: keep how search weighs its evidence
-- params: whole, title, passage, lexical, lesson, k1, b, mean_length, documents
insert into note_policy
values (
    $whole, $title, $passage, $lexical, $lesson, $k1, $b, $mean_length, $documents
)
