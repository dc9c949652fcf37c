import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { endRules } from "./ends/end-rules.ts";
import { fence, running, stopped, undo, waiting, type Saga } from "./ends/worlds.ts";
import { claimOf, job } from "./jobs.ts";
import { openGates, type Gates } from "./overlaps/gates.ts";
import { atRest, brokenRules } from "./overlaps/store-rules.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

/** One in so many overlaps is run, a different one in each pair of calls. */
const every = scaled(60, 1);

type Call = <Tx>(store: StateAdapter<Tx>, saga: Saga) => Promise<unknown>;

const cancels =
  (blockers: "cancel" | "leave"): Call =>
  (store, { root }) =>
    store.cancel([{ chainId: root.id, reason: "r", blockers }], {});
const retries: Call = (store, { root }) =>
  store.retry([{ chainId: root.id, input: undefined, typeName: undefined }], {});
const claims =
  (typeName: string): Call =>
  (store) =>
    store.exchange({ outcomes: [], claim: { ...claimOf([typeName], 1), workerId: "another" } }, {});

const common: Readonly<Record<string, Call>> = {
  "cancel it": cancels("cancel"),
  "cancel it without its blockers": cancels("leave"),
  "pass its deadline": (store, { late }) =>
    store.exchange({ outcomes: [], claim: { ...claimOf(["none"], 1), deadlines: true } }, { now: late }),
  "complete the attempt": (store, { held }) =>
    store.settle([{ target: fence(held), kind: "completed", output: "1" }], {}),
  "fail the attempt": (store, { held }) => store.settle([{ target: fence(held), kind: "failed", errors: "[]" }], {}),
  "continue the attempt": (store, { held }) =>
    store.settle([{ target: fence(held), kind: "continued", next: job("three"), compensation: undo("again") }], {}),
  "record again": (store, { held }) => store.compensate([{ target: fence(held), compensation: undo("again") }], {}),
  "cancel it and retry it": async (store, saga) => {
    await cancels("leave")(store, saga);
    await retries(store, saga);
  },
  "delete it": (store, { root }) => store.remove({ chainIds: [root.id], cascade: true }, {}),
  "carry on": (store) => store.exchange({ outcomes: [], claim: undefined }, {}),
};

const ofWaiting: Readonly<Record<string, Call>> = {
  ...common,
  "cancel the blocker that runs": (store, { held }) =>
    store.cancel([{ chainId: held.chainId, reason: undefined, blockers: "cancel" }], {}),
  "fail the other blocker": (store, { other }) =>
    store.settle([{ target: { chainId: other?.id ?? "", typeName: "right" }, kind: "failed", errors: "[]" }], {}),
  "cancel the blockers, then the chain": (store, { other, root, held }) =>
    store.cancel(
      [held.chainId, other?.id ?? "", root.id].map((chainId) => ({ chainId, reason: undefined, blockers: "cancel" })),
      {},
    ),
  "begin to wait for the blocker": (store, { held, root }) =>
    store.start(
      [
        {
          starts: [
            job("dependent", {
              blockers: [held.chainId, root.id].map((chainId) => ({ chainId, typeName: undefined })),
            }),
          ],
        },
      ],
      {},
    ),
  "complete it from outside": (store, { root }) =>
    store.settle([{ target: { chainId: root.id, typeName: "top" }, kind: "completed", output: "1" }], {}),
};

const ofStopped: Readonly<Record<string, Call>> = {
  "retry it": retries,
  "retry it and cancel it": async (store, saga) => {
    await retries(store, saga);
    await cancels("cancel")(store, saga);
  },
  "claim the first follow-up": claims("undo"),
  "delete it": (store, { root }) => store.remove({ chainIds: [root.id], cascade: true }, {}),
  "delete it alone": (store, { root }) => store.remove({ chainIds: [root.id], cascade: false }, {}),
  upkeep: (store) => store.maintain({ completedMs: 0, failedMs: 0, limit: 100 }, {}),
};

const worlds = [
  { world: "whose step is running", create: running, calls: common },
  { world: "that waits for blockers of its own", create: waiting, calls: ofWaiting },
  { world: "that has failed", create: stopped, calls: ofStopped },
] as const;

describe.skipIf(url === undefined).each(worlds)(
  "calls on a chain $world, each stopped after each of its statements",
  { timeout: 3_600_000 },
  ({ world, create, calls }) => {
    const schema = `end races ${world.length} ${process.pid}`;
    let pool: Pool;
    let gates: Gates;
    let first: StateAdapter<PoolClient>;
    let other: StateAdapter<PoolClient>;

    beforeAll(async () => {
      pool = new Pool({ connectionString: url, max: 2 });
      await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
      gates = await openGates(url ?? "", schema);
      first = createPostgresStateAdapter({ driver: pg(gates.stopped), schema });
      other = createPostgresStateAdapter({ driver: pg(gates.others), schema });
    });

    afterAll(async () => {
      await gates.close();
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    });

    const tables = [
      "job",
      "open_job",
      "blocker",
      "release",
      "stopped",
      "failure",
      "tally",
      "tally_change",
      "expiry",
      "compensation",
      "deadline",
    ];
    const begin = async () => {
      await pool.query(tables.map((table) => `delete from "${schema}".${table}`).join("; "));
      return create(other);
    };

    const insisting = async (call: Call | undefined, store: StateAdapter<PoolClient>, saga: Saga): Promise<void> => {
      for (let run = 0; ; run += 1) {
        try {
          await call?.(store, saga);
          return;
        } catch (error) {
          if (run === 20 || !store.isConflict(error)) throw error;
        }
      }
    };

    /** Resumes what was left because it was locked, and returns what is wrong. */
    const faultsOf = async ({ root, held, recorded }: Saga): Promise<readonly string[]> => {
      const resting = { ...atRest, left: "select b.chain_id from S.blocker b where b.passes" };
      for (let n = 0; n < 20 && (await brokenRules(pool, schema, resting)).length > 0; n += 1) {
        await other.exchange({ outcomes: [], claim: undefined }, {});
      }
      const found = [...(await brokenRules(pool, schema)), ...(await brokenRules(pool, schema, endRules))];
      const text = `select f.chain_status as status, (select h.chain_status from "${schema}".job h where h.id = $2) as held, coalesce((
          select array_agg(u.input order by u.position) from "${schema}".job u
          where u.type_name = 'undo' and u.chain_status in (0, 1)), '{}') as undone
        from "${schema}".job f where f.id = $1`;
      const { rows } = await pool.query<{ status: number; held: number; undone: string[] }>(text, [
        root.id,
        held.chainId,
      ]);
      const [row] = rows;
      if (row === undefined) return found;
      const undone = row.undone.map((input) => String(JSON.parse(input))).filter((effect) => recorded.includes(effect));
      // Recorded again, it replaces what the step had recorded before.
      const again = row.undone.includes('"again"') ? 1 : 0;
      // A blocker that goes on without the chain has its effect on record, and undoes it once it ends.
      const kept = row.held === 0 ? 1 : 0;
      if (row.status > 1 && undone.length + again + kept !== recorded.length)
        found.push(`undone are ${row.undone.join()}, of ${recorded.join()}`);
      return found;
    };

    it.each(Object.keys(calls))(
      "%s: nothing is lost, started twice or left behind by any call in between",
      async (name) => {
        const all: Readonly<Record<string, Call>> = calls;
        const faults = new Map<string, string[]>();
        const visited = await gates.visited(async () => insisting(all[name], first, await begin()));
        let turn = Object.keys(all).indexOf(name);
        for (const [otherName, during] of Object.entries(all)) {
          for (const gate of visited) {
            turn += 1;
            if (turn % every !== 0) continue;
            const saga = await begin();
            const said: string[] = [];
            const run = (call: Call | undefined, store: StateAdapter<PoolClient>, who: string) =>
              insisting(call, store, saga).catch((error: unknown) => void said.push(`${who}${String(error)}`));
            await gates.overlap(
              () => run(all[name], first, ""),
              [{ gate, during: () => run(during, other, "other: ") }],
            );
            said.push(...(await faultsOf(saga)));
            if (said.length === 0) continue;
            const fault = `${otherName}: ${said.join("; ").replaceAll(/[0-9a-f-]{36}/g, "ID")}`;
            faults.set(fault, [...(faults.get(fault) ?? []), gate]);
          }
        }
        expect([...faults].map(([fault, at]) => `${fault} (at ${at.join()})`)).toEqual([]);
      },
    );
  },
);
