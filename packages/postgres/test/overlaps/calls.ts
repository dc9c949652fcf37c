import type { StateAdapter } from "chainwright";
import type { Refusal, Reply } from "chainwright/adapter";
import { job } from "../jobs.ts";
import { completes, continues, dedup, fails, fenceOf, keyOf, waitsFor, type World } from "./world.ts";

/** A call on a world. Throws if the result of the store is impossible. */
export type Call = <Tx>(store: StateAdapter<Tx>, world: World) => Promise<void>;

const remove =
  (cascade: boolean, chainsOf: (world: World) => readonly { readonly id: string }[]): Call =>
  async (store, world) => {
    const chainIds = chainsOf(world).map(({ id }) => id);
    const reply = await store.remove({ chainIds, cascade }, {});
    namesOnly(reply, chainIds);
    if (!reply.ok) return;
    const removed = reply.value.map(({ chainId }) => chainId);
    const left = (await store.getChains(removed, {})).filter((chain) => chain !== undefined);
    // Nothing here starts a chain with an id that was used before.
    if (left.length > 0) throw new Error(`deleted, and still there: ${left.map(({ typeName }) => typeName).join()}`);
    if (chainIds.some((id) => !removed.includes(id))) throw new Error("a chain is missing among those deleted");
  };

const starts =
  (jobsOf: (world: World) => Parameters<typeof job>[1][]): Call =>
  async (store, world) => {
    const jobs = jobsOf(world).map((details, n) => job(`started ${n}`, { input: String(n), ...details }));
    const [reply] = await store.start([{ starts: jobs }], {});
    if (reply === undefined) throw new Error("the start has no reply");
    namesOnly(
      reply,
      Object.values<{ readonly id: string }>({ ...world }).map(({ id }) => id),
    );
    if (!reply.ok) return;
    if (reply.value.length !== jobs.length) throw new Error(`${jobs.length} starts, ${reply.value.length} chains`);
    for (const [n, chain] of reply.value.entries()) {
      const own = chain.id === jobs[n]?.id;
      if (own === chain.deduplicated) throw new Error(`start ${n} was given the chain of another`);
    }
  };

/** A refusal must be about the chains of the caller, or about chains that wait for them. */
function namesOnly(reply: Reply<unknown>, ids: readonly string[]): void {
  if (!reply.ok && !ids.includes(reply.refusal.id)) throw new Error(`refused for another: ${said(reply.refusal)}`);
}

function said(refusal: Refusal): string {
  return JSON.stringify(refusal);
}

/** Every call that writes, on chains of a world that other calls use as well. */
export const calls: Readonly<Record<string, Call>> = {
  "remove a moving chain": remove(true, ({ moving }) => [moving]),
  "remove a chain that waits": remove(true, ({ waiting }) => [waiting]),
  "remove a failed chain": remove(true, ({ broken }) => [broken]),
  "remove what failed with another": remove(false, ({ taken }) => [taken]),
  "remove a chain with a key": remove(false, ({ keyed }) => [keyed]),
  "remove a completed chain": remove(false, ({ done }) => [done]),
  "remove several": remove(true, ({ broken, moving, done, keyed, scheduled }) => [
    scheduled,
    broken,
    moving,
    keyed,
    done,
  ]),

  "cancel a moving chain": async (store, { moving }) => {
    namesOnly(await store.cancel([{ chainId: moving.id, reason: "r" }], {}), [moving.id]);
  },
  "cancel several": async (store, { waiting, keyed, scheduled }) => {
    const items = [waiting, keyed, scheduled].map(({ id }) => ({ chainId: id, reason: undefined }));
    namesOnly(await store.cancel(items, {}), [waiting.id, keyed.id, scheduled.id]);
  },
  "retry a failed chain": async (store, { broken }) => {
    namesOnly(await store.retry([{ chainId: broken.id, input: undefined, typeName: undefined }], {}), [broken.id]);
  },
  "retry what failed with another": async (store, { taken }) => {
    const items = [{ chainId: taken.id, input: "2", typeName: "taken" }];
    namesOnly(await store.retry(items, {}), [taken.id]);
  },
  "retry both": async (store, { taken, broken }) => {
    const items = [taken, broken].map(({ id }) => ({ chainId: id, input: undefined, typeName: undefined }));
    namesOnly(await store.retry(items, {}), [broken.id, taken.id]);
  },
  "retry and fail again": async (store, { broken }) => {
    await store.retry([{ chainId: broken.id, input: undefined, typeName: undefined }], {});
    const target = { chainId: broken.id, typeName: "broken" };
    await store.settle([{ target, kind: "failed", errors: "[]" }], {});
  },
  "trigger a job": async (store, { scheduled }) => {
    namesOnly(await store.trigger([scheduled.id], {}), [scheduled.id]);
  },

  "complete a moving chain": settles(({ moving }) => completes(moving)),
  "fail a moving chain": settles(({ moving }) => fails(moving)),
  "continue a moving chain": settles(({ moving }) => continues(moving)),
  "continue a moving chain, blocked": settles(({ moving, keyed, scheduled }) =>
    continues(moving, waitsFor(keyed, scheduled)),
  ),
  "continue a chain with a key, blocked by the moving one": settles(({ moving, keyed }) =>
    continues(keyed, waitsFor(moving)),
  ),
  "continue a chain with a key, blocked by one that waits": settles(({ waiting, keyed, done }) =>
    continues(keyed, waitsFor(waiting, done)),
  ),
  "complete a chain with a key": settles(({ keyed }) => completes(keyed)),
  "complete and continue in one batch": async (store, { moving, keyed }) => {
    await store.settle([continues(moving), completes(keyed)], {});
  },
  "move on twice": async (store, { moving }) => {
    await store.settle([continues(moving)], {});
    const target = { chainId: moving.id, typeName: "next" };
    await store.settle([{ target, kind: "continued", next: job("after next") }], {});
  },
  "complete from outside": async (store, { waiting }) => {
    const target = { chainId: waiting.id, typeName: "waiting" };
    await store.settle([{ target, kind: "completed", output: "1" }], {});
  },
  "continue from outside": async (store, { moving }) => {
    const target = { chainId: moving.id, typeName: "third" };
    await store.settle([{ target, kind: "continued", next: job("next") }], {});
  },
  "give back a job": async (store, { moving }) => {
    const schedule = { afterMs: 60_000 };
    await store.settle([{ target: fenceOf(moving.held), kind: "deferred", schedule, counted: true, errors: "[]" }], {});
  },

  "start with keys that are taken": starts(() => [
    dedup(keyOf.done, "any"),
    {},
    dedup(keyOf.keyed, "active"),
    dedup("a new key", "active"),
  ]),
  "start with a key that was freed": starts(() => [dedup(keyOf.broken, "active"), {}]),
  "start with keys, inline": starts(() => [
    {
      blockers: [
        { start: job("inline", dedup(keyOf.done, "any")) },
        { start: job("inline", dedup(keyOf.keyed, "active")) },
      ],
    },
  ]),
  "start, blocked by all": starts((world) => [
    { ...waitsFor(world.moving, world.waiting, world.keyed, world.done, world.scheduled), onBlockerFailure: "wait" },
    waitsFor(world.broken, world.moving),
  ]),
  claim: async (store) => {
    const types = ["first", "third", "next", "keyed", "waiting", "patient", "taken", "broken", "scheduled"];
    const claim = { workerId: "another", types: types.map((typeName) => ({ typeName, leaseMs: 30_000 })), limit: 10 };
    await store.exchange({ outcomes: [], claim }, {});
  },
  "carry on": async (store) => {
    await store.exchange({ outcomes: [], claim: undefined }, {});
  },
  "look for faults": async (store) => {
    for (const check of ["jobs", "leases", "blockers", "keys", "counts", "schema"] as const) {
      for (let after: string | undefined, more = true; more; more = after !== undefined) {
        const request = { check, after, limit: 3, heldBeforeMs: 60_000, timeMs: 10_000 };
        const { faults, next } = await store.inspect(request, {});
        const found = faults.filter(({ kind }) => kind !== "changed-function");
        if (found.length > 0) throw new Error(`faults: ${JSON.stringify(found)}`);
        after = next;
      }
    }
  },
  upkeep: async (store) => {
    await store.maintain({ completedMs: 0, failedMs: 0, limit: 100 }, {});
  },
};

function settles(outcomeOf: (world: World) => Parameters<StateAdapter["settle"]>[0][number]): Call {
  return async (store, world) => {
    const replies = await store.settle([outcomeOf(world)], {});
    if (replies.length !== 1 || replies[0] === undefined) throw new Error("the outcome has no reply");
  };
}
