/** A protection taken out of the sources: with it gone, something has to fail. */
export interface Mutant {
  /** What is missing. */
  readonly name: string;
  /** Below `packages/core/src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: "fence: the worker",
    file: "in-process/leases.ts",
    find: "row.lease?.workerId === fence.workerId && row.attempt === fence.attempt",
    replace: "row.lease !== undefined && row.attempt === fence.attempt",
  },
  {
    name: "fence: the attempt",
    file: "in-process/leases.ts",
    find: "row.lease?.workerId === fence.workerId && row.attempt === fence.attempt",
    replace: "row.lease?.workerId === fence.workerId",
  },
  {
    name: "fan-in: counting down",
    file: "in-process/chain-end.ts",
    find: "const left = blocking.left - 1;",
    replace: "const left = 0;",
  },
  {
    name: "fan-in: waking what waits",
    file: "in-process/chain-end.ts",
    find: "if (completed) countDown(store, row, effects, now);",
    replace: "if (completed) continue;",
  },
  {
    name: "deduplication: the key",
    file: "in-process/begin-chain.ts",
    find: "if (holder !== undefined) return toStartedChain(holder.chain, undefined);",
    replace: "if (holder !== undefined && now < 0) return toStartedChain(holder.chain, undefined);",
  },
  {
    name: "deduplication: the window",
    file: "in-process/deduplication.ts",
    find: "return row.until !== undefined && row.until <= now;",
    replace: "return row.until !== undefined && row.until <= now && now < 0;",
  },
  {
    name: "deduplication: the key is held until the chain ends, not its first step",
    file: "in-process/operations/settle.ts",
    find: "const { nextRow, started } = reply.value;",
    replace: "const { nextRow, started } = reply.value;\n  store.deduplications.clear();",
  },
  {
    name: "transaction: rollback",
    file: "in-process/transactions.ts",
    find: "if (transactions.applied === transaction) park(transactions, transaction);",
    replace:
      "if (transactions.applied === transaction) {\n      transactions.store.journal = undefined;\n      transactions.applied = undefined;\n    }",
  },
  {
    name: "transaction: nothing is seen before its commit",
    file: "in-process/transactions.ts",
    find: "    if (applied !== undefined) park(transactions, applied);\n    return undefined;",
    replace: "    return undefined;",
  },
  {
    name: "transaction: calls run again are compared",
    file: "in-process/transactions.ts",
    find: "if (sameReply(run(), reply)) continue;",
    replace: "if (sameReply(run(), reply) || transaction.calls.length > 0) continue;",
  },
  {
    name: "savepoint: undoing what was refused half-way",
    file: "in-process/journal.ts",
    find: "if (!done) undo(store, journal);",
    replace: "if (!done) journal.length = 0;",
  },
  {
    name: "savepoint: a refusal leaves the transaction usable",
    file: "in-process/transactions.ts",
    find: "  transaction?.calls.push({ run, reply });",
    replace:
      "  transaction?.calls.push({ run, reply });\n  if (transaction !== undefined && JSON.stringify(reply ?? 0).includes('\"ok\":false')) transaction.lost = true;",
  },
  {
    name: "journal: removals are undone",
    file: "in-process/store.ts",
    find: "  if (store.journal !== undefined) noteRemoved(store, store.journal, row);\n",
    replace: "",
  },
  {
    name: "all or nothing: trigger",
    file: "in-process/operations/trigger.ts",
    find: "    rows.push(row);",
    replace:
      '    rows.push(row);\n    leave(store, row);\n    row.status = "ready";\n    row.readyAt = now;\n    enter(store, row);',
  },
  {
    name: "exchange: settle before claim",
    file: "in-process/operations/exchange.ts",
    find: "  const settled = settle(store, outcomes, now);",
    replace:
      "  promote(store, now);\n  const early = claim === undefined ? nothing : claimJobs(store, claim, now);\n  const settled = settle(store, outcomes, now);\n  if (early.length > 0) return { settled, claimed: early, nextDueInMs: undefined };",
  },
  {
    name: "claim: priority",
    file: "in-process/lanes.ts",
    find: "const below = busy.findIndex((other) => other.priority < level.priority);",
    replace: "const below = busy.findIndex((other) => other.priority > level.priority);",
  },
  {
    name: "claim: first in, first out",
    file: "in-process/lanes.ts",
    find: "if (youngest === undefined || youngest.position < row.position) lane.rows.push(row);",
    replace: "if (youngest === undefined || row.position > 0) lane.rows.push(row);",
  },
  {
    name: "lease: one that ran out is claimable",
    file: "in-process/store.ts",
    find: "for (let row = takeUpTo(leases, now); row !== undefined; row = takeUpTo(leases, now)) {",
    replace: "for (let row = takeUpTo(leases, -1); row !== undefined; row = takeUpTo(leases, -1)) {",
  },
  {
    name: "blockers: no ring",
    file: "in-process/operations/settle.ts",
    find: "const references = blockers.length === 0 ? undefined : findCycle(chain, blockers);",
    replace: "const references = blockers.length === 0 || now > 0 ? undefined : findCycle(chain, blockers);",
  },
  {
    name: "blockers: a failed one fails its dependents",
    file: "in-process/chain-end.ts",
    find: 'else if (row.onBlockerFailure === "fail") ends.push',
    replace: 'else if (row.onBlockerFailure === "fail" && now < 0) ends.push',
  },
  {
    name: "retry: dependents are blocked again",
    file: "in-process/reopen.ts",
    find: "if (reopened.shared?.dependents === undefined) return nothing;",
    replace: "if (reopened.shared?.dependents === undefined || now > 0) return nothing;",
  },
  {
    name: "remove: not what others are blocked by",
    file: "in-process/operations/remove.ts",
    find: "else if (held.length > 0) {",
    replace: "else if (held.length > 1_000) {",
  },
  {
    name: "counts: adjusted when a job leaves",
    file: "in-process/store.ts",
    find: "  lane.type.counts[row.status] -= 1;",
    replace: '  if (row.status !== "blocked") lane.type.counts[row.status] -= 1;',
  },
  {
    name: "failure: backoff",
    file: "worker/failure-outcome.ts",
    find: 'return { kind: "deferred", target: fence, schedule: { afterMs }, attempt: fence.attempt, errors };',
    replace:
      'return { kind: "deferred", target: fence, schedule: afterMs < 0 ? { afterMs } : undefined, attempt: fence.attempt, errors };',
  },
  {
    name: "failure: attempts are bounded",
    file: "worker/failure-outcome.ts",
    find: "if (isFatal(error) || fence.attempt >= processor.retry.maxAttempts)",
    replace: "if (isFatal(error))",
  },
  {
    name: "failure: attempts used up by dying processes are bounded",
    file: "worker/attempt.ts",
    find: "if (job.attempt > processor.retry.maxAttempts)",
    replace: "if (job.attempt > processor.retry.maxAttempts && job.attempt < 0)",
  },
  {
    name: "failure: FatalError ends it",
    file: "worker/failure-outcome.ts",
    find: "if (isFatal(error) || fence.attempt",
    replace: "if ((isFatal(error) && fence.attempt < 0) || fence.attempt",
  },
  {
    name: "failure: errors are bounded in number",
    file: "engine/attempt-errors.ts",
    find: "entry].slice(-keptAttempts)",
    replace: "entry].slice(-keptAttempts * 100)",
  },
  {
    name: "failure: errors are bounded in size",
    file: "engine/describe-error.ts",
    find: "value.length <= longest ? value",
    replace: "value.length <= longest * 1e6 ? value",
  },
  {
    name: "failure: a poisonous error is described",
    file: "engine/describe-error.ts",
    find: '  } catch {\n    return {\n      name: "Error",',
    replace: '  } catch (poison) {\n    if (poison !== undefined) throw poison;\n    return {\n      name: "Error",',
  },
  {
    name: "failure: a reschedule uses up no attempt",
    file: "worker/failure-outcome.ts",
    find: "schedule: error.schedule, attempt: fence.attempt - 1, errors: undefined",
    replace: "schedule: error.schedule, attempt: fence.attempt, errors: undefined",
  },
  {
    name: "worker: leases are renewed",
    file: "worker/lease-keeper.ts",
    find: 'else void renew(heldLeases(slots, "older-than-a-third"));',
    replace: 'else if (intervalMs < 0) void renew(heldLeases(slots, "older-than-a-third"));',
  },
  {
    name: "worker: a lost lease is told",
    file: "worker/slots.ts",
    find: "if (isIt(held) && held.attempt?.isCompleting() !== true) interrupt(slots, held, reason);",
    replace: 'if (isIt(held) && reason === "lease-lost") interrupt(slots, held, reason);',
  },
  {
    name: "worker: timeouts",
    file: "worker/slots.ts",
    find: "if (held.processor.timeoutMs !== Infinity) slots.deadlines.add",
    replace: "if (held.processor.timeoutMs < 0) slots.deadlines.add",
  },
  {
    name: "worker: looks by itself when hints are lost",
    file: "worker/exchange-loop.ts",
    find: "Math.min(loop.pollIntervalMs, untilDueMs)",
    replace: "untilDueMs",
  },
  {
    name: "worker: looks when something is due",
    file: "worker/exchange-loop.ts",
    find: "Math.min(loop.pollIntervalMs, untilDueMs)",
    replace: "loop.pollIntervalMs",
  },
  {
    name: "worker: a hint heard during an exchange is kept",
    file: "worker/exchange-loop.ts",
    find: "loop.dry = reply.claimed.length < claim.limit && hints === loop.hints;",
    replace: "loop.dry = reply.claimed.length < claim.limit && hints >= 0;",
  },
  {
    name: "worker: outcomes are kept while the store is away",
    file: "worker/exchange-loop.ts",
    find: "    loop.outcomes.unshift(...items);",
    replace: "    if (loop.failures < 0) loop.outcomes.unshift(...items);",
  },
  {
    name: "worker: pauses while the store is away",
    file: "worker/exchange-loop.ts",
    find: "  await loop.wakeUp.pause(backoffMs(storeBackoff, loop.failures, loop.engine.clock.random()));",
    replace: "  await loop.engine.clock.yield();",
  },
  {
    name: "worker: a poisonous outcome hurts nobody else",
    file: "worker/exchange-loop.ts",
    find: "if (items.length > 0 && !isStoreAway(loop.engine.state, error)) {",
    replace: "if (items.length < 0 && !isStoreAway(loop.engine.state, error)) {",
  },
  {
    name: "worker: a store that does not answer is given up",
    file: "engine/patience.ts",
    find: "      }, limitMs);",
    replace: "      }, limitMs * 1e6);",
  },
  {
    name: "worker: stopping begins nothing",
    file: "worker/exchange-loop.ts",
    find: "if (loop.stopping) loop.onUnwanted(reply.claimed);",
    replace: "if (loop.stopping && loop.failures < 0) loop.onUnwanted(reply.claimed);",
  },
  {
    name: "worker: stopping gives back what has not begun",
    file: "worker/worker.ts",
    find: "    for (const outcome of releaseBuffer(slots)) handIn(loop, outcome);\n",
    replace: "    releaseBuffer(slots);\n",
  },
  {
    name: "worker: stopping gives back what still runs, in time",
    file: "worker/worker.ts",
    find: "const release = engine.clock.setTimer(() => releaseRunning(slots), timeoutMs);",
    replace: "const release = engine.clock.setTimer(() => undefined, timeoutMs);",
  },
  {
    name: "worker: an attempt given back is not counted",
    file: "worker/failure-outcome.ts",
    find: 'return { kind: "deferred", target: fence, schedule: undefined, attempt: fence.attempt - 1, errors: undefined };',
    replace:
      'return { kind: "deferred", target: fence, schedule: undefined, attempt: fence.attempt, errors: undefined };',
  },
  {
    name: "worker: a job claimed again supersedes its old attempt",
    file: "worker/slots.ts",
    find: "  supersede(slots, jobs);\n",
    replace: "",
  },
  {
    name: "attempt: the user's writes roll back with a refused completion",
    file: "worker/attempt-steps.ts",
    find: "    throw lostError(steps.lost, job);\n  }\n  engine.events",
    replace: "    return;\n  }\n  engine.events",
  },
  {
    name: "engine: conflicts are retried",
    file: "engine/retry-conflicts.ts",
    find: "if (tries >= conflictTries || !state.isConflict(error)) throw error;",
    replace: "if (tries >= 1 || !state.isConflict(error)) throw error;",
  },
  {
    name: "engine: one caller's poison is not its neighbours'",
    file: "engine/retry-conflicts.ts",
    find: "if (items.length === 1 || isChainwrightError(error)) throw error;",
    replace: "if (items.length >= 1 || isChainwrightError(error)) throw error;",
  },
  {
    name: "engine: a slow batch does not hold up the next",
    file: "engine/coalesce.ts",
    find: "    }, patienceMs);",
    replace: "    }, patienceMs * 1e6);",
  },
  {
    name: "engine: events wait for the commit",
    file: "engine/events.ts",
    find: "if (tx === undefined) return publish(events);",
    replace: "if (tx === undefined || events.length > 0) return publish(events);",
  },
  {
    name: "engine: workers are woken",
    file: "engine/deliver-hints.ts",
    find: "      if (hints.length === 0) return;",
    replace: "      if (hints.length >= 0) return;",
  },
  {
    name: "payload: what JSON cannot carry",
    file: "engine/json.ts",
    find: "if (found !== undefined) throw notSerializable(what, found);",
    replace: "if (found !== undefined && maxBytes < 0) throw notSerializable(what, found);",
  },
  {
    name: "payload: the limit",
    file: "engine/json.ts",
    find: "if (bytes <= maxBytes) return text;",
    replace: "if (bytes <= maxBytes * 1e6) return text;",
  },
  {
    name: "waits: look after subscribing",
    file: "client/await-chain.ts",
    find: "  add(waits, id, wait);\n  void look(waits, id);",
    replace: "  add(waits, id, wait);",
  },
  {
    name: "waits: look by themselves when hints are lost",
    file: "client/await-chain.ts",
    find: "    lookAtAll(waits);\n    keepPolling(waits);",
    replace: "    keepPolling(waits);",
  },
  {
    name: "waits: look again where something was heard meanwhile",
    file: "client/await-chain.ts",
    find: "while (awaited.lookAgain && waits",
    replace: "while (awaited.lookAgain && id === '' && waits",
  },
  {
    name: "options: unknown keys",
    file: "engine/check-options.ts",
    find: "if (!allowed.has(key)) throw",
    replace: "if (!allowed.has(key) && key === '') throw",
  },
];
