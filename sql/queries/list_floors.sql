-- purpose: the floors that were in force for any models, newest first
-- params:
-- units: value in [0, 1]
select
    encoder_fingerprint, reranker_fingerprint, fitted_at, value, calibration, data_fingerprint,
    seed, report
from floor
order by fitted_at desc, encoder_fingerprint, reranker_fingerprint
