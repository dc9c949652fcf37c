import { notReplicated } from "../errors.ts";
import { saysNotReplicated, type Notice } from "./notice.ts";

/** A registered symbol, because two copies of this package may be loaded in one process. */
const hearing = Symbol.for("chainwright.postgres-js.notices");

/**
 * An `onnotice` of postgres.js that drivers can listen to.
 *
 * @example
 * import postgres from "postgres";
 *
 * const onnotice: NoticeListener = hearNotices(({ code }) => logger.info(`notice ${code}`));
 * const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(postgres(connectionString, { onnotice })) });
 */
export interface NoticeListener {
  (notice: Notice): void;
  readonly [hearing]: Set<(notice: Notice) => void>;
}

/**
 * An `onnotice` for postgres.js with which the driver notices commits that were not replicated. With synchronous replication a
 * server may stop waiting for its standbys, for example because an administrator cancels the wait. It then reports success with a
 * warning, which postgres.js passes to this option only. The driver turns such a success into `store-unavailable`, with
 * `details.outcome` "unknown". Without synchronous replication it is not needed.
 *
 * @param next Receives every notice. Optional.
 *
 * @example
 * import postgres from "postgres";
 *
 * const sql = postgres(connectionString, { onnotice: hearNotices() });
 * const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(sql) });
 */
export function hearNotices(next?: (notice: Notice) => void): NoticeListener {
  const listeners = new Set<(notice: Notice) => void>();
  const listener = (notice: Notice): void => {
    for (const each of listeners) each(notice);
    next?.(notice);
  };
  return Object.assign(listener, { [hearing]: listeners });
}

/**
 * Rejects if a commit was reported as not replicated while `run` was running. postgres.js does not report which connection a notice
 * came from, so all commits at that moment are uncertain.
 */
export async function whileHearing<T>({ options }: { readonly options: object }, run: () => Promise<T>): Promise<T> {
  const listeners = listenersOf(options);
  if (listeners === undefined) return run();
  let isReplicated = true;
  const hear = (notice: Notice): void => {
    if (saysNotReplicated(notice)) isReplicated = false;
  };
  listeners.add(hear);
  try {
    const value = await run();
    if (!isReplicated) throw notReplicated();
    return value;
  } finally {
    listeners.delete(hear);
  }
}

function listenersOf(options: object): NoticeListener[typeof hearing] | undefined {
  if (!("onnotice" in options) || typeof options.onnotice !== "function" || !(hearing in options.onnotice))
    return undefined;
  const listeners: unknown = options.onnotice[hearing];
  return listeners instanceof Set ? listeners : undefined;
}
