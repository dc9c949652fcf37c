/**
 * Options of `migrate`.
 *
 * @example
 * const plan: MigrateOptions = { dryRun: true };
 * for (const statement of await stateAdapter.migrate(plan)) console.log(statement);
 */
export interface MigrateOptions {
  /** Returns the statements instead of running them. */
  readonly dryRun?: boolean | undefined;
  /**
   * Also removes what only older versions of the library use. It is refused with `schema-in-use` while a worker of such a version is
   * alive; end their other processes first.
   */
  readonly contract?: boolean | undefined;
}

/**
 * The schema of a store.
 *
 * @example
 * const { version, newest, contractPending }: SchemaState = await stateAdapter.schema();
 * if (version < newest) await stateAdapter.migrate();
 * else if (contractPending) await stateAdapter.migrate({ contract: true });
 */
export interface SchemaState {
  /** Its version; 0 before the first migration. */
  readonly version: number;
  /** The newest version that this package knows. */
  readonly newest: number;
  /** The oldest version whose package can still work on it. */
  readonly compatibleFrom: number;
  /** Whether it still has something for older versions, which `migrate({ contract: true })` removes. */
  readonly contractPending: boolean;
}
