import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker, JobStatus } from "plainjob";
import { next, type Contender, type Load, type OpenContender, type Pace } from "../contender.ts";
import { databaseIn, newFolder } from "../sqlite-folder.ts";

const quiet = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Its worker takes one job after the other; more at a time are more workers. It stores no result. */
export const plainjob: Contender = {
  name: "plainjob",
  league: "sqlite",
  mode: "value",
  needs: [],
  settings: { plain: "so many workers in the process", recommended: "one worker a process" },
  create: async () => newFolder(),
  join: async (_servers, folder) => join(folder),
  remove: async (_servers, folder) => rmSync(folder, { recursive: true }),
};

function join(folder: string): OpenContender {
  const queue = defineQueue({ connection: better(new Database(databaseIn(folder))), logger: quiet });
  const start = (type: string, pace: Pace, handle: (job: { readonly data: string }) => void) => {
    const workers = Array.from({ length: pace === "recommended" ? 1 : pace }, () =>
      defineWorker(type, handle, { queue, logger: quiet }),
    );
    const running = workers.map((worker) => worker.start());
    return {
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        await Promise.all(running);
      },
    };
  };
  return {
    enqueue: async (load) => queue.add("work", load),
    enqueueMany: async (loads) => queue.addMany("work", [...loads]),
    startWorker: async (pace, onJob) =>
      start("work", pace, ({ data }) => {
        const load = JSON.parse(data) as Load;
        onJob(load);
        if (load.stepsLeft > 0) queue.add("work", next(load));
      }),
    startIdleWorker: async (pace) => start("idle", pace, () => undefined),
    unsettled: async () =>
      queue.countJobs({ status: JobStatus.Pending }) + queue.countJobs({ status: JobStatus.Processing }),
    close: async () => queue.close(),
  };
}
