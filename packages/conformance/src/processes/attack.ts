import { setTimeout as delay } from "node:timers/promises";
import { runChild, type Child } from "@chainwright/child-process";
import type { StateAdapter } from "chainwright/adapter";
import { failureOf } from "../check.ts";
import type { Orders } from "./job-types.ts";
import { killPoints, type KillPoint } from "./kill-points.ts";
import { isQuiet, judge } from "./judge.ts";

/** What a case attacks. */
export interface Attack {
  readonly store: string;
  readonly stateAdapter: StateAdapter;
  /** The program of the processes. */
  readonly path: string;
  readonly flags: readonly string[];
}

const limitMs = 20_000;
const most = { random: 20, point: 6 } as const;

/** Kills starters and workers at random moments, then lets the rest be done. */
export async function killAtRandom(attack: Attack, kills: number): Promise<void> {
  const { random: orders } = most;
  await inHouse(attack, async (house) => {
    let left = kills;
    const lane = async (role: Orders["role"]): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const child = house.run({ role, orders });
        await child.begun;
        await Promise.race([delay(Math.random() * 250), child.ended]);
        child.process.kill("SIGKILL");
        await child.ended;
      }
    };
    await Promise.all([lane("starter"), lane("worker"), lane("worker")]);
    await finish(attack, house, { orders, starter: undefined });
  });
}

/** Lets a process kill itself at a point, then lets the rest be done. */
export async function killAtPoint(attack: Attack, point: KillPoint): Promise<void> {
  const { point: orders } = most;
  const role = killPoints[point];
  await inHouse(attack, async (house) => {
    const starter = role === "worker" ? house.run({ role: "starter", orders }) : undefined;
    await endOf(house.run({ role, orders, killedAt: point }), "SIGKILL");
    await finish(attack, house, { orders, starter });
  });
}

interface Rest {
  readonly orders: number;
  /** One that runs already and was not killed. */
  readonly starter: Child | undefined;
}

/** A starter and a worker that are left alone do all that is left to do. */
async function finish({ stateAdapter }: Attack, house: House, { orders, starter }: Rest): Promise<void> {
  const worker = house.run({ role: "worker", orders });
  await endOf(starter ?? house.run({ role: "starter", orders }), 0);
  const until = Date.now() + limitMs;
  while (Date.now() < until && !(await isQuiet(stateAdapter))) await delay(50);
  worker.process.stdin?.end();
  await endOf(worker, 0);
  await judge(stateAdapter, orders);
}

async function endOf(child: Child, expected: number | string): Promise<void> {
  const patience = new AbortController();
  const late = delay(limitMs, `no end within ${limitMs} ms`, { signal: patience.signal }).catch(() => "");
  const actual = await Promise.race([child.ended, late]);
  patience.abort();
  if (actual !== expected) throw failureOf("how a process ended", { expected, actual });
}

interface House {
  run(orders: Pick<Orders, "role" | "orders"> & { readonly killedAt?: KillPoint }): Child;
}

/** Ends all processes of a case, and adds what they have written to its failure. */
async function inHouse({ store, path, flags }: Attack, use: (house: House) => Promise<void>): Promise<void> {
  const children: Child[] = [];
  let errors = "";
  const run: House["run"] = (orders) => {
    const child = runChild({ path, flags, errors: "pipe", orders: { store, killedAt: undefined, ...orders } });
    child.process.stderr?.on("data", (data: Buffer) => {
      errors = (errors + data.toString()).slice(-2_000);
    });
    children.push(child);
    return child;
  };
  try {
    await use({ run });
  } catch (error) {
    if (error instanceof Error && errors !== "") error.message += `\n  the processes wrote: ${errors}`;
    throw error;
  } finally {
    for (const child of children) child.process.kill("SIGKILL");
    await Promise.all(children.map((child) => child.ended));
  }
}
