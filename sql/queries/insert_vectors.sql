-- purpose: keep vectors; one that is known stays as it is
-- params: model
insert into embedding_384
select text_sha, $model, vector from incoming
on conflict do nothing
