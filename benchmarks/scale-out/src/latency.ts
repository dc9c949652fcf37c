import { delay, now, percentile, type Latency } from "@chainwright/bench-measuring";
import type { OpenContender } from "@chainwright/bench-peers";
import { askAll } from "./drain.ts";
import type { Member } from "./member.ts";

const discarded = 5;
const apartMs = 20;
const limitMs = 30_000;

/** From the return of the enqueueing call in this process to the handler in another, jobs that are started one by one. */
export async function measureLatency(
  queue: OpenContender,
  members: readonly Member[],
  samples: number,
): Promise<Latency> {
  await askAll(members, "watch");
  const count = samples + discarded;
  const begun = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  const limit = setTimeout(
    () => all.reject(new Error(`${count - begun.size} of ${count} single jobs did not begin within ${limitMs} ms`)),
    limitMs + count * apartMs,
  );
  all.promise.catch(() => undefined);
  for (const member of members)
    member.listen((report) => {
      if ("begun" in report) begun.set(report.begun, report.at);
      if (begun.size === count) all.resolve();
    });
  const enqueued: number[] = [];
  for (let sample = 0; sample < count; sample += 1) {
    await queue.enqueue({ text: String(sample), stepsLeft: 0 });
    enqueued.push(now());
    await delay(apartMs);
  }
  await all.promise;
  clearTimeout(limit);
  const latencies = enqueued
    .map((at, sample) => Math.max(0, (begun.get(String(sample)) ?? Number.NaN) - at))
    .slice(discarded);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
