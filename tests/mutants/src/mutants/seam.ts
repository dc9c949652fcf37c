import type { Mutant } from "../mutant.ts";

const source = "packages/core/src";

/** The protections between a worker and its store: leases by the worker's clock, commits, lost replies. */
export const seamMutants: readonly Mutant[] = [
  {
    name: "seam: a job whose lease ran out while it waited is not begun",
    file: `${source}/worker/slots.ts`,
    find: "if (held.leasedUntil > slots.engine.clock.now()) begin(slots, held);",
    replace: "if (held.leasedUntil > 0) begin(slots, held);",
  },
  {
    name: "seam: an attempt whose lease could not be renewed is told",
    file: `${source}/worker/lease-keeper.ts`,
    find: '    if (!waitsForOthers || result === "failed") dropExpired(slots);',
    replace: '    if (waitsForOthers && result === "failed") dropExpired(slots);',
  },
  {
    name: "seam: a renewal that hangs does not hide that leases run out",
    file: `${source}/worker/lease-keeper.ts`,
    find: "else if (!waitsForOthers) dropExpired(slots);",
    replace: "else if (!waitsForOthers && intervalMs < 0) dropExpired(slots);",
  },
  {
    name: "seam: a lease counts from when it was asked for, not from the reply",
    file: `${source}/worker/exchange-loop.ts`,
    find: "else loop.onClaimed(reply.claimed, startedAt);",
    replace: "else loop.onClaimed(reply.claimed, endedAt);",
  },
  {
    name: "seam: a renewal counts from when it was asked for, not from the reply",
    file: `${source}/worker/lease-keeper.ts`,
    find: "without(held, unrenewed), calledAt);",
    replace: "without(held, unrenewed), engine.clock.now());",
  },
  {
    name: "seam: what is claimed ahead is renewed, too",
    file: `${source}/worker/slots.ts`,
    find: "  yield* slots.buffer;\n",
    replace: "",
  },
  {
    name: "seam: an attempt that settles itself is not dropped for a renewal that failed",
    file: `${source}/worker/slots.ts`,
    find: "held.leasedUntil <= now && held.attempt?.isCompleting() !== true",
    replace: "held.leasedUntil <= now",
  },
  {
    name: "seam: a renewal that waits for a transaction drops nothing",
    file: `${source}/worker/lease-keeper.ts`,
    find: "else if (!waitsForOthers) dropExpired(slots);",
    replace: "else dropExpired(slots);",
  },
  {
    name: "seam: nor does one that gave up waiting for it",
    file: `${source}/worker/lease-keeper.ts`,
    find: '(state.isConflict(error) ? "still waits" : "failed")',
    replace: '(state.isConflict(error) ? "failed" : "failed")',
  },
  {
    name: "seam: nor does the reply of one that has waited",
    file: `${source}/worker/lease-keeper.ts`,
    find: 'if (!waitsForOthers || result === "failed") dropExpired(slots);',
    replace: 'if (!waitsForOthers || result !== "still waits") dropExpired(slots);',
  },
  {
    name: "seam: an attempt that settles itself is not told that its lease is gone",
    file: `${source}/worker/slots.ts`,
    find: "isIt(held) && held.attempt?.isCompleting() !== true",
    replace: "isIt(held)",
  },
  {
    name: "seam: claims that come after their exchange was given up go back",
    file: `${source}/worker/exchange-loop.ts`,
    find: "(late) => loop.onUnwanted(late.claimed)",
    replace: "(late) => void late",
  },
  {
    name: "seam: complete resolves after the commit",
    file: `${source}/worker/attempt-steps.ts`,
    find: "  await transaction.commit();\n}",
    replace: "  void transaction.commit();\n}",
  },
  {
    name: "seam: an outcome is handed in after its complete has ended",
    file: `${source}/worker/attempt-steps.ts`,
    find: "  if (completion !== undefined) await completion.catch(() => undefined);\n",
    replace: "",
  },
  {
    name: "seam: an atomic complete that fails rolls back what prepare wrote",
    file: `${source}/worker/attempt-steps.ts`,
    find: "    await transaction.rollback(error);\n    throw error;",
    replace: "    await transaction.commit();\n    throw error;",
  },
  {
    name: "seam: a store out of reach is no failure of the outcomes handed in",
    file: `${source}/worker/settle-one-by-one.ts`,
    find: '    isChainwrightError(error, "store-unavailable") ||\n',
    replace: "",
  },
  {
    name: "seam: a lease that could not be extended is not taken for renewed",
    file: `${source}/worker/lease-keeper.ts`,
    find: "noteRenewed(slots, without(held, unrenewed), calledAt);",
    replace: "noteRenewed(slots, held, calledAt);",
  },
  {
    name: "worker: a later stop may leave less time",
    file: `${source}/worker/worker.ts`,
    find: "    limit.shorten(limitMs);\n",
    replace: "    if (stopped === undefined) limit.shorten(limitMs);\n",
  },
  {
    name: "worker: it does not greet while it stops",
    file: `${source}/worker/worker.ts`,
    find: "if (!loop.stopping) parts.turns.greet();",
    replace: "parts.turns.greet();",
  },
  {
    name: "worker: a closed client keeps the subscription for it",
    file: `${source}/engine/client-lifetime.ts`,
    find: "if (isClosed && workers.size === 0) await",
    replace: "if (isClosed) await",
  },
  {
    name: "worker: none is made on a closed client",
    file: `${source}/worker/create-worker.ts`,
    find: "  engine.staff.assertOpen();\n",
    replace: "",
  },
  {
    name: "worker: none starts on a closed client",
    file: `${source}/engine/client-lifetime.ts`,
    find: "    admit(worker) {\n      assertOpen();\n",
    replace: "    admit(worker) {\n",
  },
  {
    name: "processors: names that not every store can hold are refused",
    file: `${source}/worker/erased-processors.ts`,
    find: 'checkName(typeName, "typeName")',
    replace: "typeName",
  },
];
