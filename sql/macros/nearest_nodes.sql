-- purpose: the valid nodes nearest to a query vector
-- grain: one row a node, best first, ties by address then sha, at most k
-- params: query_vec, model, in_project, in_level, k
-- units: cosine in [-1, 1]
create or replace macro derived.nearest_nodes(query_vec, model, in_project, in_level, k) as table (
    select
        current_node.sha,
        current_node.level,
        current_node.project,
        current_node.query_id,
        current_node.query,
        array_inner_product(embedding_384.vector, query_vec::float[384]) as cosine
    from derived.current_node
    inner join embedding_384 on current_node.text_sha = embedding_384.text_sha
    where embedding_384.model_fingerprint = model
        and (in_project is null or current_node.project = in_project)
        and (in_level is null or current_node.level = in_level)
    order by cosine desc, current_node.project, current_node.query_id, current_node.sha
    limit k
)
