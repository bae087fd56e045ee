-- purpose: keep a floor that was fitted or set by hand; the history only grows
-- params: encoder, reranker, fitted_at, value, calibration, data_fingerprint, seed, report
insert into floor
values (
    $encoder, $reranker, $fitted_at::timestamp, $value, $calibration, $data_fingerprint, $seed,
    $report
)
