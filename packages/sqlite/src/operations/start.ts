import type { Refusal, Reply, StartCall, StartReply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { WriteJob } from "./written-job.ts";

type Start = (calls: readonly StartCall[], now: number) => readonly Reply<readonly StartReply[]>[];

export function createStart(store: Store, writeJob: WriteJob): Start {
  const write = (call: StartCall, now: number): Reply<readonly StartReply[]> => {
    const value: StartReply[] = [];
    for (const start of call.starts) {
      const written = writeJob.first(start, { now, awaited: false });
      if (written.refusal !== undefined) return refused(written.refusal);
      if (written.holder !== undefined) {
        const { id, status, input, createdAt } = written.holder;
        value.push({ id, deduplicated: true, status, input, createdAt, jobs: [] });
        continue;
      }
      const status = written.status === "failed" ? "failed" : "active";
      value.push({
        id: start.id,
        deduplicated: false,
        status,
        input: start.input,
        createdAt: now,
        jobs: written.jobs,
      });
    }
    return { ok: true, value };
  };

  return (calls, now) =>
    calls.map((call) =>
      // A single start without blockers is refused before anything is written.
      call.starts.length === 1 && call.starts[0]?.blockers.length === 0
        ? write(call, now)
        : store.attempt(
            () => write(call, now),
            (reply) => !reply.ok,
          ),
    );
}

function refused(refusal: Refusal): Reply<never> {
  return { ok: false, refusal };
}
