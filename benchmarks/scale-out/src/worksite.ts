import { delay, now } from "@chainwright/bench-measuring";
import type { OpenContender, RunningWorker } from "@chainwright/bench-peers";
import type { Post, Report, Request, Usage } from "./messages.ts";
import { loadRow } from "./load-row.ts";

/** A queue and this process's worker on it. */
export interface Worksite {
  obey(request: Exclude<Request, { readonly ask: "join" }>): Promise<void>;
  usage(): Usage;
}

/** A report for each job, or every few milliseconds, would be a good part of the CPU of many processes. */
const quietMs = 10;

export async function joinPost(post: Post, report: (report: Report) => void): Promise<Worksite> {
  const { contender, pace } = await loadRow(post.row, post.mode);
  const queue = await contender.join(post.servers, post.place);
  const startWorker = post.isIdle ? queue.startIdleWorker : queue.startWorker;
  let [ran, isWatched] = [0, false];
  let lead = 0;
  let from = { ran: 0, cpu: process.cpuUsage() };
  let worker: RunningWorker | undefined;
  let quiet: NodeJS.Timeout | undefined;
  const countFromHere = (): void => {
    from = { ran, cpu: process.cpuUsage() };
  };
  const start = async (): Promise<void> => {
    worker = await startWorker(pace === "recommended" ? pace : post.concurrency, ({ text }) => {
      if (ran === lead) countFromHere();
      ran += 1;
      quiet?.refresh();
      if (isWatched) report({ begun: text, at: now() });
    });
  };
  const stop = async (): Promise<void> => {
    clearTimeout(quiet);
    await worker?.stop();
  };
  const mark = (jobs: number): void => {
    [ran, lead] = [0, jobs];
    countFromHere();
  };
  return {
    usage() {
      const { user, system } = process.cpuUsage(from.cpu);
      return { ran, counted: ran - from.ran, cpuMicros: user + system };
    },
    async obey(request) {
      switch (request.ask) {
        case "warm up":
          mark(0);
          await start();
          await untilRun(queue, () => ran >= request.jobs);
          return await stop();
        case "mark":
          return mark(request.lead);
        case "start":
          if (!post.isIdle) quiet = setTimeout(() => report({ ran }), quietMs);
          return await start();
        case "watch":
          clearTimeout(quiet);
          quiet = undefined;
          isWatched = true;
          return;
        case "usage":
          return;
        case "close":
          await stop();
          return await queue.close();
      }
    },
  };
}

async function untilRun(queue: OpenContender, hasRun: () => boolean): Promise<void> {
  while (!hasRun() || (await queue.unsettled()) > 0) await delay(2);
}
