import { ChainwrightError } from "./error.ts";

/**
 * The step from one version of a store's schema to the next. Released steps never change.
 *
 * @example
 * const step: Migration = { expand: ["alter table job add column region text"] };
 */
export interface Migration {
  /**
   * Statements that processes of the version before do not notice: new tables and indexes, functions with new names, columns that
   * may be null or have a constant default, and other bodies of functions that keep what they promise.
   */
  readonly expand: readonly string[];
  /** Statements that remove what only processes of older versions use. */
  readonly contract?: readonly string[] | undefined;
}

/** What a store has of its schema. */
export interface PresentSchema {
  /** 0 before the first migration. */
  readonly version: number;
  /** The oldest version whose package can use it. */
  readonly compatibleFrom: number;
}

/** What a migration does. */
export interface MigrationPlan extends PresentSchema {
  /** Empty if there is nothing to do. */
  readonly statements: readonly string[];
  /** Set if a worker that knows only versions below this one must not be alive. */
  readonly leavesBehind: number | undefined;
}

/**
 * Plans the statements that bring a store to the newest version, and with `contract` those that remove what older versions use. A
 * store that a newer version has upgraded stays as it is.
 *
 * @example
 * const steps: readonly Migration[] = [{ expand: ["create table job (id text)"] }];
 * const { statements, version, compatibleFrom } = planMigration({ version: 0, compatibleFrom: 1 }, steps, {});
 */
export function planMigration(
  present: PresentSchema,
  steps: readonly Migration[],
  { contract = false }: { readonly contract?: boolean | undefined },
): MigrationPlan {
  const version = Math.max(present.version, steps.length);
  // No process of an older version uses a new store.
  const isNew = present.version === 0;
  const contracts = contract || isNew ? contractsAfter(present, steps) : [];
  const compatibleFrom = Math.max(present.compatibleFrom, ...contracts.map((each) => each.version));
  return {
    version,
    compatibleFrom,
    leavesBehind: isNew || contracts.length === 0 ? undefined : compatibleFrom,
    statements: [
      ...steps.slice(present.version).flatMap(({ expand }) => expand),
      ...contracts.flatMap((each) => each.statements),
    ],
  };
}

/**
 * Whether a store still has something that only older versions use.
 *
 * @example
 * const steps: readonly Migration[] = [{ expand: ["create table job (id text)"] }];
 * const contractPending = isContractPending({ version: 1, compatibleFrom: 1 }, steps); // false: no step has a contract
 */
export function isContractPending(present: PresentSchema, steps: readonly Migration[]): boolean {
  return present.version > 0 && contractsAfter(present, steps.slice(0, present.version)).length > 0;
}

/** The contracts that have not run, with the version of their steps. */
function contractsAfter({ compatibleFrom }: PresentSchema, steps: readonly Migration[]) {
  return steps.flatMap(({ contract: statements }, index) => {
    const version = index + 1;
    return statements === undefined || version <= compatibleFrom ? [] : [{ version, statements }];
  });
}

/**
 * Throws `schema-too-new` if a newer version has removed what a package uses that knows versions up to `newest`.
 *
 * @example
 * checkNotTooNew({ version: 3, compatibleFrom: 2 }, 2, "the store"); // usable by this package, which knows versions up to 2
 */
export function checkNotTooNew({ version, compatibleFrom }: PresentSchema, newest: number, store: string): void {
  if (compatibleFrom <= newest) return;
  throw new ChainwrightError(
    "schema-too-new",
    `${store} has version ${version}, which can be used by packages that know version ${compatibleFrom}; this one knows versions up to ${newest}: upgrade the package`,
    { details: { version, compatibleFrom, newest } },
  );
}

/**
 * The refusal of a migration that would remove what these workers use.
 *
 * @example
 * const older: readonly string[] = ["worker on host-1"];
 * if (older.length > 0) throw schemaInUse(older, "the store");
 */
export function schemaInUse(workers: readonly string[], store: string): ChainwrightError {
  return new ChainwrightError(
    "schema-in-use",
    `workers of an older version use ${store}: ${workers.join(", ")}. Stop them, and all other processes of that version, before migrate({ contract: true })`,
    { details: { workers } },
  );
}
