import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import type { ClaimedJob, JobStart, Outcome } from "chainwright/adapter";
import { expect, it } from "vitest";
import { databasePath, jobStart, migratedStore, openStore } from "../store.ts";
import { auditLimits } from "./audit.ts";
import { declare, limit, rule } from "./limited-store.ts";

type Random = (below: number) => number;

/** Numbers that a seed determines. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state >>> 3) % 100_003) % below;
  };
}

const types = ["a", "b", "c"];
const rate = { count: 3, perMs: 20, spread: false };

function startOf(random: Random): JobStart {
  const tenant = limit("tenant", `t${random(8) * random(2)}`, { weight: 1 + random(3) });
  const order = limit("order", `o${random(5)}`, { holds: true });
  const choices = [[tenant], [limit("shared", "one"), tenant], [order, limit("rate", "r")], undefined];
  const schedule = random(8) === 0 ? { afterMs: random(4) } : undefined;
  return jobStart({ typeName: types[random(3)] ?? "a", priority: random(2), limits: choices[random(4)], schedule });
}

interface Running {
  readonly job: ClaimedJob;
  readonly workerId: string;
}

const fenceOf = ({ job, workerId }: Running) => ({ jobId: job.id, workerId, fence: job.fence });

/** Three connections to one file, and what the jobs of the test have done. */
async function createWorld(random: Random) {
  const path = databasePath();
  const first = await migratedStore({ path });
  const stores = [first, openStore({ path }), openStore({ path })];
  await declare(first, {
    tenant: { concurrency: 2 },
    shared: { concurrency: 3 },
    order: { concurrency: 1 },
    rate: { rate },
  });
  const own = new Database(path);
  const startedAt = own.prepare<[string], number>(
    "select o.started_at from chainwright_open_job o join chainwright_job j on j.seq = o.job where j.id = ?",
  );
  const running = new Map<string, Running>();
  const open = new Set<string>();
  const begun: number[] = [];
  let [started, places] = [0, 2];
  const anyStore = () => stores[random(3)] ?? first;

  const settle = async (each: Running, outcome: Pick<Outcome, "kind">, afterMs?: number) => {
    running.delete(each.job.id);
    const target = fenceOf(each);
    const schedule = afterMs === undefined ? undefined : { afterMs };
    const [reply] = await anyStore().settle(
      outcome.kind === "completed"
        ? [{ target, kind: "completed", output: "1" }]
        : [{ target, kind: "deferred", schedule, counted: true, errors: undefined }],
      {},
    );
    if (reply?.status === "settled" && outcome.kind === "completed") open.delete(each.job.id);
  };
  const noteBegun = (job: ClaimedJob, workerId: string) => {
    const isTakeover = running.has(job.id);
    running.set(job.id, { job, workerId });
    const isRated = job.limits?.some((each) => each.limit === rateName) === true;
    if (isRated && !isTakeover) begun.push(startedAt.pluck().get(job.id) ?? 0);
  };
  const actions: readonly ((picked: Running | undefined) => Promise<void>)[] = [
    async () => {
      const starts = Array.from({ length: started > 400 ? 0 : 1 + random(5) }, () => startOf(random));
      started += starts.length;
      for (const { id } of starts) open.add(id);
      await anyStore().start([{ starts }], {});
    },
    async () => {
      const asked = types.filter(() => random(3) > 0);
      const leaseMs = random(9) === 0 ? 0 : 60_000;
      const workerId = `w${random(3)}`;
      const claim = { workerId, limit: 1 + random(9), startable: 1 + random(6), limited: random(6) > 0 };
      const claimTypes = asked.map((typeName) => ({ typeName, leaseMs }));
      const { claimed } = await anyStore().exchange({ outcomes: [], claim: { ...claim, types: claimTypes } }, {});
      for (const job of claimed) noteBegun(job, workerId);
    },
    async (picked) => {
      if (picked !== undefined) await settle(picked, { kind: "completed" });
    },
    async (picked) => {
      if (picked !== undefined) await settle(picked, { kind: "deferred" }, random(2) === 0 ? undefined : random(5));
    },
    async (picked) => {
      if (picked === undefined || random(3) > 0) return;
      running.delete(picked.job.id);
      if (!open.has(picked.job.id)) return;
      await anyStore().cancel([{ chainId: picked.job.id, reason: undefined }], {});
      await anyStore().retry([{ chainId: picked.job.id, input: undefined, typeName: undefined }], {});
    },
    async () => {
      places += 1;
      const change = { kind: "override", limit: "tenant", key: "t0", rule: rule({ concurrency: places }) } as const;
      if (random(20) === 0) await anyStore().changeLimits([change], {});
    },
    async () => {
      const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 5 } as const;
      await anyStore().maintain(upkeep, {});
    },
  ];
  const often = [0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6];
  return {
    begun,
    open,
    audit: () => auditLimits(own),
    close: () => own.close(),
    step: async () => {
      const picked = [...running.values()][random(Math.max(1, running.size))];
      await actions[often[random(often.length)] ?? 0]?.(picked);
    },
    /** Claims and ends what it can. Returns when to try again; undefined: never. */
    drain: async (): Promise<number | undefined> => {
      for (const each of running.values()) await settle(each, { kind: "completed" });
      const claimTypes = types.map((typeName) => ({ typeName, leaseMs: 60_000 }));
      const claim = { workerId: "last", types: claimTypes, limit: 10, limited: true };
      const { claimed, nextDueInMs } = await first.exchange({ outcomes: [], claim }, {});
      for (const job of claimed) running.set(job.id, { job, workerId: "last" });
      return claimed.length > 0 ? 0 : nextDueInMs;
    },
  };
}

const rateName = "rate";

it.each([1, 2])(
  "keeps every limit under random calls of three connections, and strands no job: seed %i",
  { timeout: 60_000 },
  async (seed) => {
    const world = await createWorld(randomFrom(seed));
    for (let step = 0; step < 500; step++) {
      await world.step();
      expect(world.audit(), `after step ${step}`).toEqual([]);
    }
    const spans = world.begun.slice(rate.count).map((at, n) => at - (world.begun[n] ?? 0));
    expect(spans.filter((span) => span < rate.perMs)).toEqual([]);
    while (world.open.size > 0) {
      const nextMs = await world.drain();
      if (nextMs === undefined) break;
      await setTimeout(nextMs);
    }
    expect([...world.open]).toEqual([]);
    expect(world.audit()).toEqual([]);
    world.close();
  },
);
