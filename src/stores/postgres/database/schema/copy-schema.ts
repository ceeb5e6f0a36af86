/**
 * A store that moved, and one that is an unfinished copy, refuse writes by triggers on each table. The mark of the copy says
 * why; the transactions of the copy itself are let through.
 */
export const COPY = `
  CREATE TABLE @store_copy (one integer PRIMARY KEY CHECK (one = 1), record text NOT NULL);
  CREATE FUNCTION @refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    mark text;
  BEGIN
    EXECUTE format('SELECT record FROM %I.store_copy', TG_TABLE_SCHEMA) INTO mark;
    IF mark::json ->> 'copy_id' = current_setting('holdpoint.copy', true) THEN
      RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the store moved' USING ERRCODE = 'HP001', DETAIL = coalesce(mark, '');
  END $$;
`
