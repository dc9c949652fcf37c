import type { Changes, ChangedKey, ChangedTable } from "../in-process/changes.ts";
import { historyKey } from "../in-process/history.ts";
import type { JobRow } from "../in-process/row-types.ts";
import type { Store } from "../in-process/store.ts";
import type { KeyFacts, LimitFacts } from "../in-process/limit-said.ts";
import type { Change } from "./change.ts";
import { placeOf, stateOf } from "./encode-job.ts";

type Parts = readonly (string | number | undefined)[];
type Read = (store: Store, key: Parts) => unknown;

/** The content of a row for a log. Undefined: there is none. */
const reads: Readonly<Record<Exclude<ChangedTable, "token">, Read>> = {
  key: ({ deduplications }, [key]) => deduplications.get(text(key))?.chain.id,
  history: ({ history }, [everyMs, at, typeName]) => {
    const row = history.get(historyKey({ everyMs: Number(everyMs), at: Number(at), typeName: text(typeName) }));
    return row && [row.completed, row.failed, row.retried, row.longestWaitMs, ...row.runTimes];
  },
  pause: ({ pauses }, [typeName]) => pauses.get(text(typeName)),
  schedule: ({ schedules }, [id]) => schedules.byId.get(text(id)),
  tick: ({ schedules }, [id, at]) => schedules.ticks.get(text(id))?.get(Number(at)),
  signal: (store, [chainId, position]) => {
    const chain = store.jobs.get(text(chainId));
    const signal = chain && store.signals.byChain.get(chain)?.rows[Number(position) - 1];
    // A copy, because a signal that is taken is changed.
    return signal && { ...signal };
  },
  kept: ({ signals }, [topic]) => signals.kept.get(text(topic)),
  note: (store, [jobId]) => {
    const notes = notesOf(store, jobId);
    return notes && [notes.checkpoint, notes.progress];
  },
  memo: (store, [jobId, name]) => notesOf(store, jobId)?.memos.get(text(name)),
  line: (store, [jobId, seq]) => notesOf(store, jobId)?.lines.find((line) => line.seq === seq),
  limit: ({ limits }, [name]) => {
    const said = limits.rows.get(text(name))?.said;
    return said?.isKnown === true ? factsOf(said) : undefined;
  },
  limitKey: ({ limits }, [name, key]) => {
    const facts = limits.rows.get(text(name))?.keys.get(text(key));
    return facts && factsOf(facts);
  },
  lane: ({ lanes }, [claimName, name]) => {
    const lane = lanes.types.get(text(claimName))?.limits?.lanes.get(text(name));
    return lane === undefined || (lane.weight === 1 && !lane.holds) ? undefined : [lane.weight, lane.holds];
  },
  release: (store, [chainId]) => {
    const release = releaseOf(store, chainId);
    return release && [release.status, release.at, release.since];
  },
  released: (store, [chainId]) => releaseOf(store, chainId)?.rows.map(({ id }) => id),
};

/** What a commit has changed. It reads rows as they are now, and must not be called later. */
export function changesOf(store: Store, { jobs, others }: Changes): readonly Change[] {
  const changes: Change[] = [];
  for (const [row, what] of jobs) {
    const change = jobChange(store, row, what);
    if (change !== undefined) changes.push(change);
  }
  for (const key of others) changes.push(rowChange(store, key));
  return changes;
}

export function jobChange(store: Store, row: JobRow, what: "whole" | "state"): Change | undefined {
  const { id, status } = row;
  if (status !== "removed")
    return what === "whole" ? ["job", id, placeOf(row), stateOf(row)] : ["state", id, stateOf(row)];
  // If another job has its id by now, that is a change of its own.
  return store.jobs.has(id) ? undefined : ["job", id];
}

export function rowChange(store: Store, key: ChangedKey): Change {
  const [table, ...parts] = key;
  if (table === "token") return key;
  const value = reads[table](store, parts);
  return value === undefined ? key : [...key, value];
}

/** JSON has no number for a pause without an end. */
function factsOf(facts: KeyFacts | LimitFacts): unknown {
  return facts.pausedUntil === Infinity ? { ...facts, pausedUntil: "never" } : facts;
}

function notesOf({ jobs, notes }: Store, jobId: Parts[number]) {
  const row = jobs.get(text(jobId));
  return row && notes.byJob.get(row);
}

function releaseOf({ jobs, releases }: Store, chainId: Parts[number]) {
  const chain = jobs.get(text(chainId));
  return chain && releases.get(chain);
}

function text(part: Parts[number]): string {
  return String(part);
}
