/** One scan of an index: the rows of a page, and the faults among them. */
export interface Scan {
  /** Rows after the cursor, in its order; `$2` is the cursor or null, `$3` the most rows. */
  readonly page: string;
  /** The cursor of a row `p`, as text. */
  readonly cursor: string;
  /** Selects `kind, id, chain_id, type_name, worker_id` from `page p`. `$1` is the moment, `$4` how old a lease may be without a heartbeat. */
  readonly faults: string;
}
