import { Rollback } from "../small-world.ts";
import type { SimulatedClient } from "../world.ts";
import { patterns } from "./schedule-model.ts";

/** What an action needs. */
export interface Actor {
  readonly below: (most: number) => number;
  readonly client: SimulatedClient;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Whole processes die. */
  readonly kill: (kind: "one" | "all") => void;
  /** The store's clock jumps. */
  readonly jump: (ms: number) => void;
}

type Action = (actor: Actor) => Promise<unknown>;

const ids = ["a", "b", "c", "d"] as const;
const minute = 60_000;

const actions: readonly Action[] = [
  async (actor) => await actor.client.createSchedule({ id: someId(actor), ...policies(actor), ...rule(actor) }),
  async (actor) => await actor.client.updateSchedule({ id: someId(actor), ...rule(actor) }),
  async (actor) =>
    await actor.client.updateSchedule({ id: someId(actor), typeName: "work", input: actor.below(1_000) }),
  async (actor) => await actor.client.resetSchedule({ id: someId(actor) }),
  async (actor) => await actor.client.pauseSchedule({ id: someId(actor) }),
  async (actor) => await actor.client.resumeSchedule({ id: someId(actor) }),
  async (actor) => await actor.client.resumeSchedule({ id: someId(actor), missed: "skip" }),
  async (actor) => await actor.client.triggerSchedule({ id: someId(actor) }),
  async (actor) => {
    const from = new Date(actor.now() - actor.below(10 * minute));
    await actor.client.backfillSchedule({ id: someId(actor), from, until: new Date(actor.now()), limit: 20 });
  },
  async (actor) => {
    if (actor.below(3) === 0) await actor.client.deleteSchedule({ id: someId(actor) });
  },
  async (actor) =>
    await actor.client.transaction(async (tx) => {
      await actor.client.updateSchedule({ tx, id: someId(actor), typeName: "work", input: -1, ...rule(actor) });
      throw new Rollback("as planned");
    }),
  async ({ kill }) => {
    kill("one");
  },
  async ({ kill, jump, below }) => {
    // An outage: no one works, and time passes.
    kill("all");
    jump(below(40 * minute));
  },
  async ({ jump, below }) => {
    jump(below(2) === 0 ? below(3 * minute) : -below(5_000));
  },
];

/** Half of all actions are changes while a tick is being written. */
export async function actOnSchedules(actor: Actor): Promise<void> {
  if (actor.below(2) === 0) {
    await changeAtTick(actor);
    return;
  }
  await actions[actor.below(actions.length)]?.(actor);
}

/** Changes schedules between the look of a worker that finds a tick due and the tick. */
async function changeAtTick({ client, below, now, wait }: Actor): Promise<void> {
  const { items } = await client.listSchedules({ paused: false });
  const { id = "a", nextAt } = items[below(items.length)] ?? {};
  await wait((nextAt?.getTime() ?? 0) - now() + below(3_000));
  if (below(2) === 0) await client.pauseSchedule({ id });
  else await client.updateSchedule({ id, typeName: "work", input: below(1_000) });
  await wait(4_000);
  await client.resumeSchedule({ id });
}

/** Schedules of all policies, one for each id. */
export async function createAll(actor: Pick<Actor, "below" | "client">): Promise<void> {
  for (const id of ids) await actor.client.createSchedule({ id, ...policies(actor), ...rule(actor) });
}

function someId({ below }: Pick<Actor, "below">): string {
  return ids[below(ids.length)] ?? "a";
}

function rule({ below }: Pick<Actor, "below">) {
  const cron = Object.keys(patterns)[below(5)];
  return cron === undefined ? { everyMs: 5_000 + below(3) * 12_500 } : { cron };
}

function policies({ below }: Pick<Actor, "below">) {
  const missed = (["one", "skip", "all"] as const)[below(3)] ?? "one";
  const overlap = below(3) === 0 ? ("skip" as const) : ("allow" as const);
  return { typeName: "work", input: below(1_000), missed, maxMissed: 1 + below(20), overlap };
}
