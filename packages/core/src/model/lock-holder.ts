/**
 * A session of the database that holds what others wait for.
 *
 * @example
 * const describe = ({ processId, application, openMs = 0 }: LockHolder) =>
 *   `process ${processId} (${application ?? "unnamed"}), open for ${Math.round(openMs / 1_000)} s`;
 * const observer: Observer = (event) => {
 *   if (event.type === "outcome-held-up") console.warn(event.jobId, event.holders.map(describe));
 * };
 */
export interface LockHolder {
  /** As the database numbers its sessions; on Postgres for `pg_terminate_backend`. */
  readonly processId: number;
  /** What the session calls itself; on Postgres its `application_name`. */
  readonly application: string | undefined;
  /** How long its transaction has been open, in milliseconds. Undefined: the database does not tell this role. */
  readonly openMs: number | undefined;
}
