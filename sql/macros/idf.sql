-- purpose: inverse document frequency after Robertson and Zaragoza (2009), which is never negative
-- params: df, documents
-- units: nats
create or replace macro derived.idf(df, documents) as
    ln(1 + (documents - df + 0.5) / (df + 0.5))
