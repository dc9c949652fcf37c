import type { Compensation, JobStart } from "chainwright/adapter";
import { expect, it } from "vitest";
import { jobStart, type migratedStore } from "../store.ts";
import { listenedStore } from "../listened-store.ts";

type Store = Awaited<ReturnType<typeof migratedStore>>;

async function claimed(store: Store, deadlines?: true) {
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 10, deadlines };
  return (await store.exchange({ outcomes: [], claim }, {})).claimed;
}

const ofEnds = /chainwright_(ending|compensation|follow_up|deadline)\b/;
const compensation: Compensation = { typeName: "undo", input: "1", priority: 0, context: undefined };

it("runs no statement about ends for chains that have nothing on record for theirs, and creates no trigger", async () => {
  const { store, statements } = await listenedStore();
  statements.length = 0;
  const blocker = jobStart();
  const starts = [blocker, jobStart({ blockers: [{ chainId: blocker.id, typeName: undefined }] }), jobStart()];
  await store.start([{ starts }], {});
  const [first, second] = await claimed(store);
  const target = (job: typeof first) => ({ jobId: job?.id ?? "", workerId: "w", fence: job?.fence ?? 0 });
  await store.settle([{ target: target(first), kind: "completed", output: "1" }], {});
  await store.settle([{ target: target(second), kind: "continued", next: jobStart() }], {});
  await store.cancel([{ chainId: second?.id ?? "", reason: undefined, blockers: "cancel" }], {});
  await store.settle([{ target: target(second), kind: "completed", output: "1" }], {});
  await store.retry([{ chainId: second?.id ?? "", input: undefined, typeName: undefined }], {});
  await store.getChains([first?.id ?? ""], {});
  await store.remove({ chainIds: [second?.id ?? ""], cascade: false }, {});
  expect(new Set(statements).size).toBeGreaterThan(20);
  expect(statements.filter((sql) => ofEnds.test(sql) || sql.includes("create trigger"))).toEqual([]);
});

it("finds what is on record for the end of a chain, what follows it and what is overdue by an index", async () => {
  const { store, statements, plans } = await listenedStore();
  const whenStopped = { typeName: "sorry", priority: 0 } as const;
  const saga = (details: Partial<JobStart> = {}) => jobStart({ whenStopped, deadline: { afterMs: 1 }, ...details });
  const starts = [saga(), saga({ blockers: [{ start: saga() }] }), saga()];
  await store.start([{ starts }], {});
  const [first, second] = await claimed(store);
  const target = (job: typeof first) => ({ jobId: job?.id ?? "", workerId: "w", fence: job?.fence ?? 0 });
  await store.compensate(
    [first, second].map((job) => ({ target: target(job), compensation })),
    {},
  );
  await store.settle([{ target: target(second), kind: "completed", output: "1" }], {});
  const item = { chainId: first?.chainId ?? "", reason: undefined, blockers: "cancel" } as const;
  await store.cancel([item], {});
  await store.retry([{ chainId: item.chainId, input: undefined, typeName: undefined }], {});
  await store.settle([{ target: target(first), kind: "completed", output: "1" }], {});
  await store.getChains([item.chainId], {});
  await new Promise((resolve) => void setTimeout(resolve, 5));
  await claimed(store, true);
  const upkeep = { completedMs: 0, failedMs: 0, limit: 10 };
  await store.maintain({ ...upkeep, chore: "workers" }, {});
  await store.maintain({ ...upkeep, chore: "retention" }, { now: Date.now() + 1_000 });
  await store.remove({ chainIds: [item.chainId], cascade: true }, {});
  const found = [...new Set(statements)].filter((sql) => ofEnds.test(sql));
  expect(found.length).toBeGreaterThan(12);
  const scans = found.flatMap((sql) =>
    (plans.get(sql) ?? "")
      .split("\n")
      .filter((detail) => /^SCAN (?!\(|CONSTANT|d USING INDEX|chainwright_deadline USING)/.test(detail))
      .map((detail) => `${detail}\n${sql}`),
  );
  expect(scans).toEqual([]);
});
