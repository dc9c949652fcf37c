import type { Compensation, JobStart } from "chainwright/adapter";
import { expect, it } from "vitest";
import { failEachStatement } from "../every-statement.ts";
import { jobStart } from "../store.ts";

const compensation: Compensation = { typeName: "undo", input: "1", priority: 0, context: undefined };
const whenStopped = { typeName: "sorry", priority: 0 } as const;

it(
  "undoes a call that stops or retries chains completely, whichever of its statements fails",
  { timeout: 60_000 },
  async () => {
    const ids = Array.from({ length: 6 }, (_, n) => `00000000-0000-7000-8000-00000000000${n}`);
    const [parent = "", blocker = "", next = "", late = "", failing = "", dependent = ""] = ids;
    const job = (id: string, details: Partial<JobStart> = {}): JobStart => jobStart({ id, ...details });
    const fence = (jobId: string, number = 1) => ({ jobId, workerId: "w", fence: number });
    const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 10, deadlines: true };
    const at = (now: number) => ({ now });
    const failed = await failEachStatement([
      (store) => {
        const waits = job(parent, { whenStopped, blockers: [{ start: job(blocker) }] });
        const deadline = { at: 5_000 };
        const fails = job(dependent, { whenStopped, blockers: [{ chainId: failing, typeName: undefined }] });
        return store.start([{ starts: [waits, job(late, { whenStopped, deadline }), job(failing), fails] }], at(1));
      },
      (store) => store.exchange({ outcomes: [], claim }, at(2)),
      (store) =>
        store.compensate(
          [blocker, late, failing].map((id) => ({ target: fence(id), compensation })),
          at(3),
        ),
      (store) => store.settle([{ target: fence(blocker), kind: "completed", output: "1" }], at(4)),
      (store) => store.exchange({ outcomes: [], claim }, at(5)),
      (store) => store.settle([{ target: fence(parent), kind: "continued", next: job(next), compensation }], at(6)),
      (store) => store.cancel([{ chainId: parent, reason: "no", blockers: "cancel" }], at(7)),
      (store) => store.retry([{ chainId: parent, input: undefined, typeName: undefined }], at(8)),
      (store) => store.settle([{ target: fence(failing), kind: "failed", errors: "[]" }], at(9)),
      (store) => store.exchange({ outcomes: [], claim }, at(6_000)),
      (store) => store.settle([{ target: fence(late), kind: "completed", output: "1" }], at(6_001)),
      (store) => store.remove({ chainIds: [late, parent], cascade: true }, at(6_002)),
    ]);
    expect(failed).toBeGreaterThan(150);
  },
);
