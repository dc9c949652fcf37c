import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker, JobStatus } from "plainjob";
import { next, type Contender, type Load } from "../contender.ts";

const quiet = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Its worker takes one job after the other; more at a time are more workers. It stores no result. */
export const plainjob: Contender = {
  name: "plainjob",
  league: "sqlite",
  needs: [],
  settings: { plain: "so many workers in the process", recommended: "one worker a process" },
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-peers-"));
    const queue = defineQueue({ connection: better(new Database(join(folder, "jobs.db"))), logger: quiet });
    return {
      serverCpu: () => undefined,
      enqueue: async (load) => queue.add("work", load),
      enqueueMany: async (loads) => queue.addMany("work", [...loads]),
      async startWorker(pace, onJob) {
        const workers = Array.from({ length: pace === "recommended" ? 1 : pace }, () =>
          defineWorker(
            "work",
            ({ data }) => {
              const load = JSON.parse(data) as Load;
              onJob(load);
              if (load.stepsLeft > 0) queue.add("work", next(load));
            },
            { queue, logger: quiet },
          ),
        );
        const running = workers.map((worker) => worker.start());
        return {
          async stop() {
            await Promise.all(workers.map((worker) => worker.stop()));
            await Promise.all(running);
          },
        };
      },
      unsettled: async () =>
        queue.countJobs({ status: JobStatus.Pending }) + queue.countJobs({ status: JobStatus.Processing }),
      async close() {
        queue.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};
