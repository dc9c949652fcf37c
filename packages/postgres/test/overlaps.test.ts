import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { calls } from "./overlaps/calls.ts";
import type { Call } from "./overlaps/calls.ts";
import { openGates } from "./overlaps/gates.ts";
import type { Gates } from "./overlaps/gates.ts";
import { brokenRules } from "./overlaps/store-rules.ts";
import { createWorld } from "./overlaps/world.ts";
import type { World } from "./overlaps/world.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

/** Of the overlaps of a call with the others, one in so many is staged: another one in each pair of calls. */
const every = scaled(60, 1);

/** Pairs in which something was once wrong: of these, all. */
const proven: Readonly<Record<string, readonly string[]>> = {
  "remove a moving chain": ["move on twice", "continue from outside", "remove a chain that waits"],
  "remove what failed with another": ["retry a failed chain", "remove a failed chain"],
  "start with keys that are taken": ["remove a chain with a key", "remove a completed chain"],
  "start with keys, inline": ["remove a completed chain"],
};

describe.skipIf(url === undefined)("a call that is stopped after each of its statements", { timeout: 3_600_000 }, () => {
  const schema = `overlaps ${process.pid}`;
  let pool: Pool;
  let gates: Gates;
  let stopped: StateAdapter<PoolClient>;
  let other: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 2 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    gates = await openGates(url ?? "", schema);
    stopped = createPostgresStateAdapter({ driver: pg(gates.stopped), schema });
    other = createPostgresStateAdapter({ driver: pg(gates.others), schema });
  });

  afterAll(async () => {
    await gates.close();
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  const emptied = async (): Promise<World> => {
    const tables = ["job", "open_job", "blocker", "stopped", "deduplication", "tally"];
    await pool.query(tables.map((table) => `delete from "${schema}".${table}`).join("; "));
    return createWorld(other);
  };

  const insisting = async (call: Call, store: StateAdapter<PoolClient>, world: World): Promise<void> => {
    for (let run = 0; ; run += 1) {
      try {
        return await call(store, world);
      } catch (error) {
        if (run === 20 || !store.isConflict(error)) throw error;
      }
    }
  };

  it.each(Object.keys(calls))("%s: whatever comes between, no rule is broken", async (name) => {
    const faults = new Map<string, string[]>();
    const call = calls[name];
    if (call === undefined) throw new Error(`there is no call ${name}`);
    const gatesOfCall = await gates.visited(async () => call(stopped, await emptied()));
    let turn = Object.keys(calls).indexOf(name);
    for (const [otherName, during] of Object.entries(calls)) {
      for (const gate of gatesOfCall) {
        turn += 1;
        if (turn % every !== 0 && proven[name]?.includes(otherName) !== true) continue;
        const world = await emptied();
        const said: string[] = [];
        await gates.overlap(
          gate,
          () => insisting(call, stopped, world).catch((error: unknown) => void said.push(String(error))),
          () => insisting(during, other, world).catch((error: unknown) => void said.push(`other: ${String(error)}`)),
        );
        said.push(...(await brokenRules(pool, schema)));
        if (said.length === 0) continue;
        const fault = `${otherName}: ${said.join("; ").replaceAll(/[0-9a-f-]{36}/g, "ID")}`;
        faults.set(fault, [...(faults.get(fault) ?? []), gate]);
      }
    }
    expect([...faults].map(([fault, at]) => `${fault} (at ${at.join()})`)).toEqual([]);
  });
});
