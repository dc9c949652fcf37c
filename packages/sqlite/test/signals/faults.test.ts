import type { JobStart, SignalItem } from "chainwright/adapter";
import { expect, it } from "vitest";
import { failEachStatement } from "../every-statement.ts";
import { databasePath, jobStart, migratedStore, openStore } from "../store.ts";

const sent = { typeName: "a", signal: "s", payload: "1", context: undefined } as const;
const toChain = (chainId: string, signalId?: string): SignalItem => ({ ...sent, chainId, signalId });

it("undoes a call about signals completely, whichever of its statements fails", { timeout: 60_000 }, async () => {
  const ids = Array.from({ length: 4 }, (_, n) => `00000000-0000-7000-8000-00000000000${n}`);
  const [first = "", second = "", third = "", next = ""] = ids;
  const job = (id: string, details: Partial<JobStart>): JobStart => jobStart({ id, ...details });
  const waits = { until: { at: 5_000 }, collect: { s: 2 }, topics: ["t"] } as const;
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 10 };
  const at = (now: number) => ({ now });
  const failed = await failEachStatement([
    (store) => store.start([{ starts: [job(first, { waits }), job(second, {})] }], at(1)),
    (store) => store.signal([toChain(first, "1"), toChain(second, "1")], at(2)),
    (store) => store.signal([{ ...sent, topic: "t", signalId: "2", keepMs: 100 }], at(3)),
    (store) => store.exchange({ outcomes: [], claim }, at(4)),
    (store) => {
      const target = { jobId: second, workerId: "w", fence: 1 };
      return store.settle([{ target, kind: "continued", next: job(next, { waits: { until: undefined } }) }], at(5));
    },
    (store) => {
      const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
      const signals = [{ ...sent, signalId: "3" }];
      return store.start([{ starts: [job(third, { waits, deduplication, signals })] }], at(6));
    },
    (store) => store.exchange({ outcomes: [], claim }, at(6_000)),
    (store) => store.cancel([{ chainId: third, reason: undefined }], at(6_001)),
    (store) => store.retry([{ chainId: third, input: undefined, typeName: undefined }], at(6_002)),
    (store) => store.maintain({ chore: "windows", completedMs: undefined, failedMs: undefined, limit: 10 }, at(6_003)),
    (store) => store.remove({ chainIds: [first, second, third], cascade: false }, at(6_004)),
  ]);
  expect(failed).toBeGreaterThan(60);
});

it("knows the signals of a chain in all processes, also if an earlier one was undone with its call", async () => {
  const path = databasePath();
  const [store, other] = [await migratedStore({ path }), openStore({ path })];
  const [job, unknown] = [jobStart({ typeName: "b" }), "00000000-0000-7000-8000-0000000000ff"];
  await store.start([{ starts: [job] }], {});
  expect(await store.signal([toChain(job.id), toChain(unknown)], {})).toMatchObject({ ok: false });
  expect(await store.signal([toChain(job.id)], {})).toMatchObject({ ok: true, value: [{ delivered: "buffered" }] });
  const claim = { workerId: "w", types: [{ typeName: "b", leaseMs: 60_000 }], limit: 1 };
  const [claimed] = (await other.exchange({ outcomes: [], claim }, {})).claimed;
  const target = { jobId: job.id, workerId: "w", fence: claimed?.fence ?? 0 };
  const [settled] = await other.settle([{ target, kind: "completed", output: "1" }], {});
  expect(settled).toMatchObject({ status: "settled", unused: [{ chainId: job.id, count: 1 }] });
});
