import type { Mutant } from "../mutant.ts";

/** The protections between a worker and its store: leases by the worker's clock, commits, lost replies. */
export const seamMutants: readonly Mutant[] = [
  {
    name: "seam: a job whose lease ran out while it waited is not begun",
    in: "core:beginOrHandBack",
    find: "if (held.leasedUntil > slots.engine.clock.now()) begin(slots, held);",
    replace: "if (held.leasedUntil > 0) begin(slots, held);",
  },
  {
    name: "seam: an attempt learns that its lease could not be renewed",
    in: "core:createLeaseKeeper",
    find: 'if (!waitsForOthers || result === "failed") dropExpired(slots);',
    replace: 'if (waitsForOthers && result === "failed") dropExpired(slots);',
  },
  {
    name: "seam: a renewal that hangs does not hide that leases run out",
    in: "core:createLeaseKeeper",
    find: "else if (!waitsForOthers) dropExpired(slots);",
    replace: "else if (!waitsForOthers && intervalMs < 0) dropExpired(slots);",
  },
  {
    name: "seam: a lease counts from when it was asked for, not from the reply",
    in: "core:exchangeOnce",
    find: "claimedAt: startedAt,",
    replace: "claimedAt: startedAt + durationMs,",
  },
  {
    name: "seam: a renewal counts from when it was asked for, not from the reply",
    in: "core:renewLeases",
    find: "without(held, unrenewed), calledAt);",
    replace: "without(held, unrenewed), engine.clock.now());",
  },
  {
    name: "seam: what is claimed ahead is renewed, too",
    in: "core:allHeld",
    find: "yield* slots.buffer;",
    replace: "",
  },
  {
    name: "seam: an attempt that settles itself is not dropped for a renewal that failed",
    in: "core:dropExpired",
    find: "held.leasedUntil <= now && held.attempt?.isCompleting() !== true",
    replace: "held.leasedUntil <= now",
  },
  {
    name: "seam: a renewal that waits for a transaction drops nothing",
    in: "core:createLeaseKeeper",
    find: "else if (!waitsForOthers) dropExpired(slots);",
    replace: "else dropExpired(slots);",
  },
  {
    name: "seam: nor does one that gave up waiting for it",
    in: "core:createLeaseKeeper",
    find: '(state.isConflict(error) ? "still waits" : "failed")',
    replace: '(state.isConflict(error) ? "failed" : "failed")',
  },
  {
    name: "seam: nor does the reply of one that has waited",
    in: "core:createLeaseKeeper",
    find: 'if (!waitsForOthers || result === "failed") dropExpired(slots);',
    replace: 'if (!waitsForOthers || result !== "still waits") dropExpired(slots);',
  },
  {
    name: "seam: an attempt that settles itself does not hear of a lost lease",
    in: "core:drop",
    find: "isIt(held) && held.attempt?.isCompleting() !== true",
    replace: "isIt(held)",
  },
  {
    name: "seam: claims that come after their exchange was given up go back",
    in: "core:takeLate",
    find: "handBack(slots, late.claimed);",
    replace: "",
  },
  {
    name: "seam: complete resolves after the commit",
    in: "core:settleInOpen",
    find: "await transaction.commit();\n}",
    replace: "void transaction.commit();\n}",
  },
  {
    name: "seam: an outcome is handed in after its complete has ended",
    in: "core:finish",
    find: "if (completion !== undefined) await completion.catch(() => undefined);",
    replace: "",
  },
  {
    name: "seam: an atomic complete that fails rolls back what prepare wrote",
    in: "core:settleInOpen",
    find: "await transaction.rollback(error);\n    throw error;",
    replace: "await transaction.commit();\n    throw error;",
  },
  {
    name: "seam: a store out of reach is no failure of the outcomes handed in",
    in: "core:storeTroubleOf",
    find: 'if (!isChainwrightError(error, "store-unavailable")) return undefined;',
    replace: "return undefined;",
  },
  {
    name: "seam: a lease that could not be extended is not taken for renewed",
    in: "core:renewLeases",
    find: "noteRenewed(slots, without(held, unrenewed), calledAt);",
    replace: "noteRenewed(slots, held, calledAt);",
  },
  {
    name: "worker: a later stop may leave less time",
    in: "core:assembleWorker",
    find: "limit.shorten(limitMs);",
    replace: "if (stopped === undefined) limit.shorten(limitMs);",
  },
  {
    name: "worker: it does not greet while it stops",
    in: "core:workerListener",
    find: "if (!loop.stopping) lookOrder.greet();",
    replace: "lookOrder.greet();",
  },
  {
    name: "worker: a closed client keeps the subscription for it",
    in: "core:createLifetime",
    find: "if (isClosed && workers.size === 0) await",
    replace: "if (isClosed) await",
  },
  {
    name: "worker: none is made on a closed client",
    in: "core:createWorker",
    find: "engine.lifetime.assertOpen();",
    replace: "",
  },
  {
    name: "worker: none starts on a closed client",
    in: "core:createLifetime",
    find: "admit(worker) {\n      assertOpen();",
    replace: "admit(worker) {",
  },
  {
    name: "processors: names that not every store can hold are refused",
    in: "core:readProcessors",
    find: 'checkName(typeName, "typeName")',
    replace: "typeName",
  },
  {
    name: "ports: an adapter for another version of the port is refused",
    in: "core:checkPortVersion",
    find: "if (given === version) return;",
    replace: "if (given === version || version > 0) return;",
  },
];
