import { checkInteger, checkKeys, invalid, isList, show } from "../checks/check-options.ts";
import { checkLimitKey, checkLimitName } from "../checks/limit-registry.ts";
import { parse } from "../checks/json.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { LimitKey } from "../model/limit.ts";
import type { LimitDeclaration, LimitQuery, LimitRecord, OpenBreaker } from "../ports/limit.ts";
import type { BreakerInfo, DeclaredLimit, LimitInfo } from "../types/limit-reports.ts";
import type { InTransaction, Page } from "../types/list-options.ts";
import { dateOf } from "./date-of.ts";
import { pageOf } from "./pages.ts";

export interface ListLimitsOptions extends InTransaction<unknown> {
  readonly limit?: string | undefined;
  readonly key?: string | undefined;
  readonly busy?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly pageSize?: number | undefined;
}

const listKeys = { limit: true, key: true, busy: true, cursor: true, pageSize: true, tx: true } satisfies Record<
  keyof ListLimitsOptions,
  true
>;
const declaredKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;
const [defaultSize, largestSize] = [50, 1_000];

export async function listLimits(store: StoreAccess, options: ListLimitsOptions = {}): Promise<Page<LimitInfo>> {
  const { size, query } = checkQuery(options);
  const rows = await store.state.listLimits(query, store.callOptions(options.tx));
  const now = store.clock.now();
  return pageOf(
    rows,
    size,
    (row) => limitView(row, now),
    ({ limit, key }) => JSON.stringify([limit, key]),
  );
}

export async function listDeclaredLimits(
  store: StoreAccess,
  options: InTransaction<unknown> = {},
): Promise<readonly DeclaredLimit[]> {
  checkKeys(options, declaredKeys, "listDeclaredLimits");
  const declared = await store.state.listLimitDeclarations(store.callOptions(options.tx));
  return declared.map(declarationView);
}

/** Asks for one row more, which shows whether another page follows. */
function checkQuery(options: ListLimitsOptions): { readonly size: number; readonly query: LimitQuery } {
  checkKeys(options, listKeys, "listLimits");
  const { limit, key, busy, cursor, pageSize = defaultSize } = options;
  if (busy !== undefined && typeof busy !== "boolean") throw invalid(`busy must be true or false; got ${show(busy)}.`);
  const limitName = limit === undefined ? undefined : checkLimitName(limit);
  if (key !== undefined && limitName === undefined)
    throw invalid("listLimits with a key needs a limit: keys are those of a limit.");
  if (key !== undefined && (busy === true || cursor !== undefined))
    throw invalid(`listLimits with a key reads that key only; remove ${busy === true ? "busy" : "cursor"}.`);
  const size = checkInteger(pageSize, "pageSize", { min: 1, max: largestSize });
  const keys =
    limitName === undefined || key === undefined ? undefined : [{ limit: limitName, key: checkLimitKey(key, "key") }];
  return {
    size,
    query: {
      keys,
      limitName,
      isBusy: busy === true ? true : undefined,
      after: cursor === undefined ? undefined : checkCursor(cursor),
      limit: size + 1,
    },
  };
}

function checkCursor(cursor: string): LimitKey {
  const [limit, key] = partsOf(cursor);
  if (typeof limit === "string" && typeof key === "string") return { limit, key };
  throw invalid(`cursor must be the nextCursor of a page of listLimits; got ${show(cursor)}.`);
}

function partsOf(cursor: unknown): readonly unknown[] {
  try {
    const parts = typeof cursor === "string" ? parse(cursor) : undefined;
    return isList(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** A key of a limit as it is shown. @param now by the clock of the client */
export function limitView(record: LimitRecord, now: number): LimitInfo {
  const { limit, key, running, waiting, rule, declared, isOverridden, pausedUntil, breaker, opensInMs } = record;
  return {
    limit,
    key,
    running,
    waiting,
    concurrency: rule?.concurrency,
    rate: rule?.rate,
    declared,
    isOverridden,
    ...pauseOf(pausedUntil),
    breaker: breaker && breakerView(breaker, now),
    opensAt: opensInMs === undefined || opensInMs === Infinity ? undefined : new Date(now + opensInMs),
  };
}

function breakerView({ failures, openUntil }: OpenBreaker, now: number): BreakerInfo {
  return { state: openUntil > now ? "open" : "half-open", failures, openUntil: new Date(openUntil) };
}

function declarationView({ limit, declared, codeVersion, override, pausedUntil }: LimitDeclaration): DeclaredLimit {
  return {
    limit,
    concurrency: override?.concurrency ?? declared?.concurrency,
    rate: override?.rate ?? declared?.rate,
    declared,
    codeVersion,
    override,
    ...pauseOf(pausedUntil),
  };
}

function pauseOf(pausedUntil: number | undefined): Pick<LimitInfo, "isPaused" | "pausedUntil"> {
  return {
    isPaused: pausedUntil !== undefined,
    pausedUntil: dateOf(pausedUntil === Infinity ? undefined : pausedUntil),
  };
}
