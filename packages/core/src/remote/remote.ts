import type { Hint } from "../ports/notify.ts";
import type { Engine } from "../engine/engine.ts";
import type { HubListener, HubPlace } from "../hints/hint-hub.ts";
import { createChores, type Chores } from "../worker/chores.ts";
import { declareLimits } from "../worker/declare-limits.ts";
import { hearOfWork } from "../worker/hear-of-work.ts";
import { lookNow } from "../worker/next-look.ts";
import type { ClaimLoop } from "./claim-loop.ts";
import { createDealtLeases } from "./dealt-leases.ts";
import { exchange, handIn } from "./exchange.ts";
import { givingBack } from "./outgoing.ts";
import type { Policies, RemoteOptions } from "./remote-options.ts";
import { renewLeases } from "./renew-leases.ts";
import { createServed } from "./served.ts";
import { closed, loopFor, type RemoteState } from "./state.ts";
import type { Remote } from "./types.ts";

/** The longest time between two looks: with a notify adapter, and without one. */
const pollMs = { withHints: 30_000, withoutHints: 1_000 };

export function assembleRemote(engine: Engine, policies: Policies, options: RemoteOptions): Remote {
  const state: RemoteState = {
    engine,
    id: engine.newId(),
    policies,
    served: createServed(policies.typeNames ?? []),
    dealt: createDealtLeases(engine.clock),
    limitedWait: false,
    tellServed: () => undefined,
    loops: new Map(),
    running: new Set(),
    pollIntervalMs: engine.hub.health === undefined ? pollMs.withoutHints : pollMs.withHints,
    isOpen: false,
  };
  const { start, stop } = createLife(state, options);
  return {
    id: state.id,
    typeNames: policies.typeNames,
    start,
    stop,
    exchange: async (request) => await exchange(state, request),
    renew: async (renewals) => await renewLeases(state, renewals),
    giveBack: async (leases) => {
      // After the end the leases run out by themselves.
      if (!state.isOpen) return;
      const loop = loopFor(state, undefined);
      await Promise.allSettled(leases.map((lease) => handIn(loop, lease, givingBack(lease))));
    },
    parked: () => [...state.loops.values()].reduce((sum, { asks }) => sum + asks.size, 0),
    [Symbol.asyncDispose]: stop,
  };
}

/** Its start and its end. */
function createLife(state: RemoteState, options: RemoteOptions): Pick<Remote, "start" | "stop"> {
  const { engine, id } = state;
  const name = options.name ?? id;
  const chores = choresOf(state, name, options);
  const served = new Set(state.served.typeNames);
  let place: HubPlace | undefined;
  let stopped: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    const wasOpen = state.isOpen;
    state.isOpen = false;
    for (const loop of state.loops.values()) {
      loop.stopping = true;
      loop.asks.end();
      loop.nextLook.wakeUp.interrupt();
    }
    await Promise.all(state.running);
    place?.leave();
    if (!wasOpen) return;
    await chores.leave();
    engine.events.record([{ type: "worker-stopped", workerId: id, name }], undefined);
    await engine.lifetime.dismiss(served);
  };

  return {
    async start() {
      if (stopped !== undefined) throw closed();
      if (state.isOpen) return;
      engine.lifetime.admit(served);
      state.isOpen = true;
      engine.events.record([{ type: "worker-started", workerId: id, name }], undefined);
      place = engine.hub.listen(listenerOf(state, chores));
      chores.start();
      state.tellServed = chores.beat;
      // A store that is away now learns of the limits from the next worker.
      await declareLimits(engine, undefined).catch(() => undefined);
      await place.opened;
    },
    stop: () => (stopped ??= stop()),
  };
}

function choresOf(state: RemoteState, name: string, options: RemoteOptions): Chores {
  const { engine, id, served, dealt, pollIntervalMs } = state;
  const { completedMs = Infinity, failedMs = Infinity } = options.retention ?? {};
  return createChores(engine, {
    workerId: id,
    name,
    serves: () => ({ typeNames: served.typeNames, pools: served.pools }),
    codeVersion: undefined,
    concurrency: 0,
    pollIntervalMs,
    retention: { completedMs: finite(completedMs), failedMs: finite(failedMs) },
    schedules: options.schedules ?? true,
    holds: dealt.count,
    // The store decides at each claim what is paused.
    pausedTypes: { ask: () => () => undefined },
    limitedJobs: { ask: () => askOfLimited(state) },
  });
}

/** All loops learn from a heartbeat whether jobs under limits wait, also those that begin before the next one. */
function askOfLimited(state: RemoteState): (waits: boolean) => void {
  const asked = [...state.loops.values()].map(({ limitedJobs }) => limitedJobs.ask());
  return (waits) => {
    state.limitedWait = waits;
    for (const note of asked) note(waits);
    // Those that began while the store was asked.
    if (waits) for (const { limitedJobs } of state.loops.values()) limitedJobs.ask()(true);
  };
}

function finite(ms: number): number | undefined {
  return ms === Infinity ? undefined : ms;
}

/** What all loops do with the hints of this process and of others. */
function listenerOf({ engine, loops }: RemoteState, chores: Chores): HubListener {
  const each = (act: (loop: ClaimLoop) => void): void => {
    for (const loop of loops.values()) act(loop);
  };
  const hear = (hint: Hint): void => {
    if (hint.kind === "deadline") chores.deadlines.hear(hint.inMs);
    else if (hint.kind === "schedules") chores.ticks?.look();
    else if (hint.kind === "watched") engine.watchedJobs.hear(hint.jobId, hint.forMs);
    else each((loop) => hearOfWork(loop, hint));
  };
  return {
    onHints: (hints) => hints.forEach(hear),
    onLook: () => each(({ nextLook }) => lookNow(nextLook)),
    onMeeting: () => each(({ lookOrder }) => lookOrder.greet()),
  };
}
