/** A database session that holds a lock which others wait for. */
export interface LockHolder {
  /** The database's number of the session; on Postgres the argument of `pg_terminate_backend`. */
  readonly processId: number;
  /** The name of the session's program; on Postgres its `application_name`. */
  readonly application: string | undefined;
  /** How long its transaction has been open, in milliseconds. Undefined: this role may not see it. */
  readonly openMs: number | undefined;
}
