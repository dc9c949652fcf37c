import type { Planting } from "@chainwright/conformance";
import { takeKey } from "../../src/in-process/deduplication.ts";
import { laneFor } from "../../src/in-process/lanes.ts";
import { addLabels } from "../../src/in-process/labels.ts";
import { createNoteRows } from "../../src/in-process/notes.ts";
import { noShared } from "../../src/in-process/shared.ts";
import type { JobRow } from "../../src/in-process/row-types.ts";
import { removeSorted } from "../../src/in-process/sorted-rows.ts";
import { createRows } from "../../src/in-process/rows.ts";
import { createStore, leave } from "../../src/in-process/store.ts";
import type { Store } from "../../src/in-process/store.ts";
import { start } from "../../src/rules/begin.ts";

/** A chain that the store does not have. */
function rowElsewhere(id: string): JobRow {
  const store = createStore();
  const type = { typeName: "a", input: "1", priority: 0, schedule: undefined, blockers: [] };
  const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
  start(createRows(store), [{ starts: [{ id, ...type, ...rest }] }], 0);
  const row = store.jobs.get(id);
  if (row === undefined) throw new Error(`chain ${id} was not started`);
  return row;
}

/** Faults in the maps and lanes of a store. */
export function plantingIn(store: Store): Planting {
  const rowOf = (id: string): JobRow => {
    const row = store.jobs.get(id);
    if (row === undefined) throw new Error(`there is no job ${id}`);
    return row;
  };
  return {
    loseFirstJob: async (chainId) => {
      const row = rowOf(chainId);
      leave(store, row);
      store.jobs.delete(chainId);
      removeSorted(store.jobsById, row);
      removeSorted(store.chainsById, row);
    },
    loseOpenJob: async (jobId) => {
      const { lane } = rowOf(jobId);
      lane.rows = lane.rows.slice(lane.head).filter((row) => row?.id !== jobId);
      lane.head = 0;
      if (lane.rows.length === 0) lane.type.busy.splice(lane.type.busy.indexOf(lane), 1);
      rowOf(jobId).queued = undefined;
    },
    keepKey: async (key, chainId) => {
      takeKey(store, { key, scope: "active", chain: rowOf(chainId), until: undefined, heldUntil: undefined });
    },
    addTag: async (name, value, chainId) => {
      const row = store.jobs.get(chainId) ?? rowElsewhere(chainId);
      const shared = { ...noShared, tags: { [name]: value } };
      addLabels(store.labels, { ...row, shared });
    },
    addNote: async (jobId) => {
      createNoteRows(store).setProgress(rowElsewhere(jobId), "1", { attempt: 1, at: 0 });
    },
    addBlocker: async (chainId) => {
      const chain = rowOf(chainId);
      const stray: JobRow = { ...rowOf(chainId), id: crypto.randomUUID(), status: "removed", chain, shared: undefined };
      const dependents = new Set([...(chain.shared?.dependents ?? []), stray]);
      chain.shared = { ...noShared, ...chain.shared, dependents };
    },
    setBlockersLeft: async (jobId, left) => {
      const row = rowOf(jobId);
      if (row.blocking !== undefined) row.blocking = { ...row.blocking, left };
    },
    failsWithBlockers: async (jobId) => void Object.assign(rowOf(jobId), { onBlockerFailure: "fail" }),
    addPlace: async (limit, key) => {
      store.limits.rows.get(limit)?.gates.get(key)?.holders.add(rowElsewhere(crypto.randomUUID()));
    },
    losePlaces: async (jobId) => {
      const row = rowOf(jobId);
      for (const { holders } of row.lane.limited?.lane.gates ?? []) holders.delete(row);
    },
    addToCount: async (typeName, by) => {
      laneFor(store.lanes, { typeName }, 0).type.counts.completed += by;
    },
  };
}
