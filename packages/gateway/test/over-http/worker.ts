import { ChainwrightError, type ChainwrightErrorCode } from "chainwright";
import { outcomeOf, type Handler } from "./attempt.ts";
import { behind, caseOf } from "./client.ts";
import { connect, type Connection } from "./connection.ts";
import { handlersOf, type GivenProcessors, type GivenWorker } from "./policies.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

type Told = Readonly<Record<string, unknown>>;

/** What a worker elsewhere does not have. */
const notElsewhere = ["timeoutMs", "codeVersion", "types", "retention"] as const;
/** How often leases are extended, so that a worker soon learns of a cancellation. */
const renewalMs = 100;
const waitMs = 20_000;
const againMs = 20;

/** An attempt under way. */
interface Held {
  readonly token: string;
  readonly leaseMs: number;
  readonly attempt: AbortController;
}

/** What the parts of a worker share. */
interface Parts {
  readonly run: CaseRun;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly concurrency: number;
  readonly claim: object;
  readonly held: Set<Held>;
  readonly running: Set<Promise<void>>;
  /** Outcomes that go with the next claim. */
  readonly outbox: Told[];
  /** Aborts when the worker stops. */
  readonly ending: AbortController;
  connection: Connection | undefined;
}

/** A worker that claims and settles by HTTP, as one in another language does. */
export function createHttpWorker(given: GivenWorker, groups: readonly GivenProcessors[]) {
  const run = caseOf(given.client);
  const client = behind(given.client);
  const { concurrency = 10, pools, name, schedules } = given as Settings;
  for (const option of notElsewhere)
    if (given[option] !== undefined) outOfReach(run, `${option} of createWorker is for handlers in the process`);
  const { handlers, elsewhere, leaseMs } = handlersOf(run, { client, given }, groups);
  const claim = { types: [...handlers.keys()], leaseMs, waitMs, ...(pools !== undefined && { pools }) };
  const ending = new AbortController();
  const state = { held: new Set<Held>(), running: new Set<Promise<void>>(), outbox: [], ending, connection: undefined };
  const parts: Parts = { ...state, run, handlers, concurrency, claim };
  let looping: Promise<void> | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let stopped: Promise<void> | undefined;
  const timeIsUp = Promise.withResolvers<void>();
  const finish = async (): Promise<void> => {
    await looping;
    await Promise.race([timeIsUp.promise, Promise.all(parts.running)]);
    clearInterval(renewing);
    for (const { token, attempt } of parts.held) {
      attempt.abort(new ChainwrightError("worker-stopping", "the worker stops."));
      await handIn(parts, { token, kind: "returned" });
    }
    for (const outcome of parts.outbox.splice(0)) await handIn(parts, outcome);
    await parts.connection?.close();
  };
  const stop = async ({ timeoutMs = 30_000 }: StopOptions = {}): Promise<void> => {
    ending.abort();
    const limit = setTimeout(timeIsUp.resolve, timeoutMs);
    await (stopped ??= finish());
    clearTimeout(limit);
  };
  const worker = {
    start: async () => {
      parts.connection ??= await connect(run, client, { elsewhere, name, schedules });
      // A gateway begins with the first request.
      await parts.connection.request({ method: "GET", path: "/v1/types" });
      looping ??= claimAgainAndAgain(parts).catch(() => undefined);
      renewing ??= setInterval(() => void renew(parts).catch(() => undefined), Math.min(renewalMs, leaseMs / 3));
    },
    stop,
  };
  return new Proxy(worker, {
    get: (target, member): unknown => {
      if (typeof member !== "string" || member in target || member === "then")
        return Reflect.get(target, member, target);
      return outOfReach(run, `worker.${member} is of a worker in the process`);
    },
  });
}

interface Settings {
  readonly concurrency?: number;
  readonly pools?: readonly (string | null)[];
  readonly name?: string;
  readonly schedules?: boolean;
}

interface StopOptions {
  readonly timeoutMs?: number;
}

async function exchange({ run, connection }: Parts, body: object, signal?: AbortSignal): Promise<Told> {
  if (connection === undefined) return outOfReach(run, "a worker that has not been started");
  return (await connection.request({ path: "/v1/exchange", body, signal })).body;
}

/** Claims until the worker stops, with the outcomes that wait for that. */
async function claimAgainAndAgain(parts: Parts): Promise<void> {
  const { run, concurrency, claim, running, outbox, ending } = parts;
  while (!ending.signal.aborted && run.outOfReach === undefined) {
    const limit = concurrency - running.size;
    if (limit <= 0) {
      await Promise.race([...running, aborted(ending.signal)]);
      continue;
    }
    const outcomes = outbox.splice(0);
    try {
      const { jobs } = await exchange(parts, { outcomes, claim: { ...claim, limit } }, ending.signal);
      for (const job of jobs as readonly Told[]) begin(parts, job);
    } catch (error) {
      // If they were settled, they are lost when they come again.
      outbox.unshift(...outcomes);
      if (error instanceof ChainwrightError && error.code === "invalid-input")
        outOfReach(run, `a claim is refused: ${error.message}`);
      await pause(againMs);
    }
  }
}

function begin(parts: Parts, job: Told): void {
  const { running } = parts;
  const attempt: Promise<void> = attemptAt(parts, job).finally(() => void running.delete(attempt));
  running.add(attempt);
}

async function attemptAt(parts: Parts, job: Told): Promise<void> {
  const { run, handlers, concurrency, held, outbox, ending } = parts;
  const one: Held = { token: String(job["token"]), leaseMs: Number(job["leaseMs"]), attempt: new AbortController() };
  const { signal } = one.attempt;
  held.add(one);
  const outcome = await outcomeOf(run, handlers.get(String(job["typeName"])), job, signal);
  held.delete(one);
  // It is lost, or was given back.
  if (signal.aborted) return;
  const told = { token: one.token, ...outcome };
  // With one slot the outcome goes with the next claim. Otherwise a claim is under way.
  if (concurrency === 1 && !ending.signal.aborted) outbox.push(told);
  else await handIn(parts, told);
}

/** Hands an outcome in until the gateway has taken it. */
async function handIn(parts: Parts, outcome: Told): Promise<void> {
  const { run, ending } = parts;
  let told = outcome;
  while (run.outOfReach === undefined) {
    try {
      const { results } = await exchange(parts, { outcomes: [told] });
      const [result] = results as readonly Told[];
      if (result?.["status"] !== "refused") return;
      // Nothing was written, and the job is still leased.
      const { code, message } = result["error"] as Told;
      if (code !== "transaction-conflict")
        told = { token: outcome["token"], kind: "failed", error: { name: code, message } };
    } catch (error) {
      if (ending.signal.aborted) return;
      if (error instanceof ChainwrightError && error.code === "invalid-input")
        outOfReach(run, `an outcome is refused: ${error.message}`);
    }
    await pause(againMs);
  }
}

async function renew({ connection, held }: Parts): Promise<void> {
  const jobs = [...held].map(({ token, leaseMs }) => ({ token, leaseMs }));
  if (jobs.length === 0 || connection === undefined) return;
  const { body } = await connection.request({ path: "/v1/leases", body: { jobs } });
  for (const { token, reason } of body["lost"] as readonly { readonly token: string; readonly reason: string }[]) {
    if (reason === "busy") continue;
    const lost = [...held].find((one) => one.token === token);
    lost?.attempt.abort(new ChainwrightError(reason as ChainwrightErrorCode, "the lease was not extended."));
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}
