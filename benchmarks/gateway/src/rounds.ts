import type { Api, ExchangeReply } from "./api.ts";

const typeName = "bench.run";

/** Runs so many calls, so many at a time. Returns calls a second. */
async function atOnce(count: number, callers: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: callers }, run));
  return (count / (performance.now() - startedAt)) * 1_000;
}

const startOf = (i: number) => ({ typeName, input: { i } });
const claim = { types: [typeName], leaseMs: 30_000 };

/** Starts of one chain each. */
export async function starts(api: Api, count: number, callers: number): Promise<number> {
  return await atOnce(count, callers, (i) => api.post("/v1/chains", { chains: [startOf(i)] }));
}

/** Start, claim one, settle it: three requests a job. */
export async function lifecycles(api: Api, count: number, callers: number): Promise<number> {
  return await atOnce(count, callers, async (i) => {
    await api.post("/v1/chains", { chains: [startOf(i)] });
    const { jobs } = await api.exchange({ claim: { ...claim, limit: 1, waitMs: 5_000 } });
    await api.exchange({ outcomes: settled(jobs) });
  });
}

/** Start 32, and exchange 32 outcomes for 32 jobs. */
export async function batched(api: Api, count: number, callers: number): Promise<number> {
  const size = 32;
  const rounds = Math.ceil(count / size);
  const perSecond = await atOnce(rounds, callers, async (i) => {
    await api.post("/v1/chains", { chains: Array.from({ length: size }, (_, at) => startOf(i * size + at)) });
    const { jobs } = await api.exchange({ claim: { ...claim, limit: size, waitMs: 5_000 } });
    await api.exchange({ outcomes: settled(jobs) });
  });
  await drain(api);
  return perSecond * size;
}

/** What earlier rounds have left. */
export async function drain(api: Api): Promise<void> {
  let outcomes: readonly object[] = [];
  for (;;) {
    const { jobs } = await api.exchange({ outcomes, claim: { ...claim, limit: 100 } });
    outcomes = settled(jobs);
    if (jobs.length === 0) return;
  }
}

function settled(jobs: ExchangeReply["jobs"]): readonly object[] {
  return jobs.map(({ token, input }) => ({ token, kind: "completed", output: input }));
}

/** Milliseconds from the start of a job to the job in the hand of a worker that waits. */
export async function wakes(api: Api, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const waiting = api.exchange({ claim: { ...claim, limit: 1, waitMs: 20_000 } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const startedAt = performance.now();
    const start = api.post("/v1/chains", { chains: [startOf(i)] });
    const { jobs } = await waiting;
    times.push(performance.now() - startedAt);
    await start;
    await api.exchange({ outcomes: settled(jobs) });
  }
  return times.sort((one, other) => one - other);
}

/** Parks so many requests for a type that nothing starts. */
export async function park(api: Api, count: number): Promise<readonly Promise<unknown>[]> {
  const idle = { claim: { types: ["bench.idle"], leaseMs: 30_000, limit: 1, waitMs: 30_000 } };
  return Array.from({ length: count }, () => api.exchange(idle));
}
