/** A session of the database that holds what others wait for. */
export interface LockHolder {
  /** As the database numbers its sessions; on Postgres for `pg_terminate_backend`. */
  readonly processId: number;
  /** What the session calls itself; on Postgres its `application_name`. */
  readonly application: string | undefined;
  /** How long its transaction has been open, in milliseconds. Undefined: the database does not tell this role. */
  readonly openMs: number | undefined;
}
