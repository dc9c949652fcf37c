import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { Pool, PoolClient } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { calls, type Call } from "./overlaps/calls.ts";
import type { Gates } from "./overlaps/gates.ts";
import { openRaceStore } from "./overlaps/race-store.ts";
import { atRest, brokenRules } from "./overlaps/store-rules.ts";
import { createWorld, fenceOf, type World } from "./overlaps/world.ts";
import { claimOf, job } from "./jobs.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

/** One in so many overlaps of a call with the others is run: a different one in each pair of calls. */
const every = scaled(60, 1);

/** Pairs that once had a fault: all their overlaps are run. */
const proven: Readonly<Record<string, readonly string[]>> = {
  "remove a moving chain": ["move on twice", "continue from outside", "remove a chain that waits"],
  "remove what failed with another": ["retry a failed chain", "remove a failed chain"],
  "start with keys that are taken": ["remove a chain with a key", "remove a completed chain"],
  "start with keys, inline": ["remove a completed chain"],
};

describe.skipIf(url === undefined)(
  "a call that is stopped after each of its statements",
  { timeout: 3_600_000 },
  () => {
    const schema = `overlaps ${process.pid}`;
    let pool: Pool;
    let gates: Gates;
    let stopped: StateAdapter<PoolClient>;
    let other: StateAdapter<PoolClient>;

    const opened = openRaceStore(url, schema);
    beforeAll(() => {
      ({ pool, gates, stopped, other } = opened());
    });

    const emptied = async (): Promise<World> => {
      const tables = [
        "job",
        "open_job",
        "blocker",
        "release",
        "stopped",
        "failure",
        "deduplication",
        "tag",
        "tally",
        "tally_change",
        "expiry",
      ];
      await opened().empty(tables);
      return createWorld(other);
    };

    /** The rules that are broken after exchanges have resumed the releases of jobs that were locked. */
    const brokenAtRest = async (): Promise<readonly string[]> => {
      const isResting = async () => (await brokenRules(pool, schema, atRest)).length === 0;
      for (let steps = 0; steps < 20 && !(await isResting()); steps += 1) {
        await other.exchange({ outcomes: [], claim: undefined }, {});
      }
      return brokenRules(pool, schema);
    };

    /** Repeats the call while it conflicts with another transaction, as the engine does. */
    const insisting = async (call: Call | undefined, store: StateAdapter<PoolClient>, world: World): Promise<void> => {
      if (call === undefined) throw new Error("there is no such call");
      for (let run = 0; ; run += 1) {
        try {
          return await call(store, world);
        } catch (error) {
          if (run === 20 || !store.isConflict(error)) throw error;
        }
      }
    };

    it.each(Object.keys(calls))("%s: no rule is broken by any call in between", async (name) => {
      const faults = new Map<string, string[]>();
      const call = calls[name];
      const gatesOfCall = await gates.visited(async () => insisting(call, stopped, await emptied()));
      let turn = Object.keys(calls).indexOf(name);
      for (const [otherName, during] of Object.entries(calls)) {
        for (const gate of gatesOfCall) {
          turn += 1;
          if (turn % every !== 0 && proven[name]?.includes(otherName) !== true) continue;
          const world = await emptied();
          const said: string[] = [];
          await gates.overlap(
            () => insisting(call, stopped, world).catch((error: unknown) => void said.push(String(error))),
            [
              {
                gate,
                during: () =>
                  insisting(during, other, world).catch((error: unknown) => void said.push(`other: ${String(error)}`)),
              },
            ],
          );
          said.push(...(await brokenAtRest()));
          if (said.length === 0) continue;
          const fault = `${otherName}: ${said.join("; ").replaceAll(/[0-9a-f-]{36}/g, "ID")}`;
          faults.set(fault, [...(faults.get(fault) ?? []), gate]);
        }
      }
      expect([...faults].map(([fault, at]) => `${fault} (at ${at.join()})`)).toEqual([]);
    });

    it("deletes a chain completely that is retried, and continues, during the deletion", async () => {
      const world = await emptied();
      const target = { chainId: world.broken.id, typeName: "broken" };
      const moveOn = async () => {
        await other.settle([{ target, kind: "continued", next: job("next") }], {});
      };
      await gates.overlap(
        () => insisting(calls["remove a failed chain"], stopped, world),
        [
          {
            gate: gates.after("hold_chains_v1", "v_jobs || v_job"),
            during: () => insisting(calls["retry a failed chain"], other, world),
          },
          { gate: gates.after("delete_chains_v1", "v_jobs :="), during: moveOn },
        ],
      );
      expect(await brokenAtRest()).toEqual([]);
    });

    it.each(["cancel a moving chain", "complete a moving chain", "remove a moving chain"])(
      "%s: waits for the commit of an attempt whose fence holds",
      async (name) => {
        const world = await emptied();
        const late = job("late");
        const holding = fenceOf(world.moving.held);
        const seen = { waited: false, ended: false };
        let ending: Promise<void> | undefined;
        const end = async () => {
          ending = insisting(calls[name], other, world).finally(() => (seen.ended = true));
          while (!seen.ended && !seen.waited) seen.waited = await gates.otherWaits();
        };
        const write = () =>
          stopped.transaction(async (tx) => void (await stopped.start([{ starts: [late] }], { tx })), { holding });
        await gates.overlap(write, [{ gate: gates.after("hold_fence_v1", "for share"), during: end }]);
        await ending;
        expect(seen.waited).toBe(true);
        expect((await other.getChains([late.id], {}))[0]?.status).toBe("active");
        expect(await brokenAtRest()).toEqual([]);
      },
    );

    it("no worker claims the job of an attempt whose fence holds before that attempt has committed", async () => {
      const world = await emptied();
      const { held } = world.moving;
      const late = Date.now() + 3_600_000;
      const claims = async () => {
        const claim = { ...claimOf(["third"], 1), workerId: "another" };
        return (await other.exchange({ outcomes: [], claim }, { now: late })).claimed.map(({ id }) => id);
      };
      let before: readonly string[] | undefined;
      await gates.overlap(
        () => stopped.transaction(async () => undefined, { holding: fenceOf(held) }),
        [{ gate: gates.after("hold_fence_v1", "for share"), during: async () => void (before = await claims()) }],
      );
      expect(before).toEqual([]);
      expect(await claims()).toEqual([held.id]);
    });

    it("does not delete a chain whose step stops waiting before the deletion has locked it", async () => {
      const world = await emptied();
      await gates.overlap(
        () => insisting(calls["remove a moving chain"], stopped, world),
        [
          {
            gate: gates.after("remove_v1", "v_next := array("),
            during: () => insisting(calls["complete from outside"], other, world),
          },
        ],
      );
      const [moving, waiting] = await other.getChains([world.moving.id, world.waiting.id], {});
      expect([moving?.status, waiting?.status]).toEqual([undefined, "completed"]);
      expect(await brokenAtRest()).toEqual([]);
    });
  },
);
