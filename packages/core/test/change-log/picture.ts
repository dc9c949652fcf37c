import { tables } from "../../src/change-log/fates.ts";
import { claimName } from "../../src/model/claim-name.ts";
import type { JobRow } from "../../src/in-process/row-types.ts";
import type { Store } from "../../src/in-process/store.ts";

/** What a restart must keep of a store, as plain data: every field that is not in the lists here is compared. */
export function pictureOf(store: Store): Readonly<Record<string, unknown>> {
  const own = Object.keys(store).filter((name) => tables[name as keyof Store] === "logged");
  return Object.fromEntries(own.map((name) => [name, pictures[name]?.(store) ?? plain(store[name as keyof Store])]));
}

const pictures: Readonly<Record<string, (store: Store) => unknown>> = {
  jobs: ({ jobs }) => Object.fromEntries([...jobs.values()].map((row) => [row.id, jobPicture(row)])),
  signals: ({ signals: { byChain, kept } }) => ({
    byChain: plain(byChain),
    kept: plain(kept),
  }),
  schedules: ({ schedules: { byId, made } }) => ({ byId: plain(byId), made: plain(new Set(made)) }),
  notes: ({ notes: { byJob } }) => plain(byJob),
  limits: ({ limits, lanes }) => ({
    said: Object.fromEntries(
      [...limits.rows.values()]
        .filter(({ said }) => said.isKnown)
        .map(({ name, said, keys }) => [name, plain({ said, keys })]),
    ),
    tokens: [...limits.rows.values()]
      .flatMap(({ gates }) => [...gates.values()])
      .filter(({ tokens }) => tokens.keys.length > 0)
      .map(({ limit, key, tokens }) => [limit.name, key, tokens.keys.toSorted((left, right) => left - right)])
      .map((each) => JSON.stringify(each))
      .sort(),
    lanes: [...lanes.types.values()]
      .flatMap((type) => [...(type.limits?.lanes.values() ?? [])])
      .filter(({ members }) => members > 0)
      .map(({ type, name, weight, holds }) => [type.claimName, name, weight, holds])
      .map((each) => JSON.stringify(each))
      .sort(),
  }),
  releases: ({ releases }) =>
    [...releases.values()].map(({ chain, status, rows, at, since }) => [
      chain.id,
      status,
      rows.slice(at).map(({ id }) => id),
      since,
    ]),
};

function jobPicture(row: JobRow): unknown {
  const { queued: _, lease, status, lane, ...rest } = row;
  const isKept = lease?.workerId === "";
  const { chains = [], own = [], ...blocking } = row.blocking ?? {};
  return {
    ...(plain(rest) as object),
    lane: [claimName({ ...lane.type, typeName: lane.type.name }), lane.priority, lane.limited?.lane.name],
    status: status === "running" ? "ready" : status,
    lease: row.endedAt !== undefined || isKept ? lease : undefined,
    blocking: row.blocking && {
      ...(plain(blocking) as object),
      chains: chains.map((chain) => chain && plain(chain)),
      own: own.filter((each) => each.status !== "removed").map(({ id }) => id),
    },
  };
}

/** Rows are their ids, and rows that were deleted are none. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Set) return value.size === 0 ? undefined : [...value].map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [nameOf(key), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (isRow(value)) return value.status === "removed" ? undefined : value.id;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

function nameOf(key: unknown): string {
  const named = plain(key);
  return typeof named === "string" ? named : JSON.stringify(named);
}

function isRow(value: object): value is JobRow {
  return "position" in value && "lane" in value && "status" in value;
}
