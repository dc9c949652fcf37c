import type {
  JobRecord,
  JobStart,
  JobWait,
  ReceivedSignal,
  SentSignal,
  SignalItem,
  SignalRecord,
  SignalReply,
} from "chainwright/adapter";
import { only } from "../check.ts";
import { continued, job } from "./build.ts";
import { jobs } from "./listing.ts";
import { accepted, type Held, type StateFixture } from "./fixture.ts";

/** A signal "go" for jobs of the type "w". */
export function sent(details: Partial<SentSignal> = {}): SentSignal {
  return { typeName: "w", signal: "go", payload: "{}", signalId: undefined, context: undefined, ...details };
}

export function toChain(chainId: string, details: Partial<SentSignal> = {}): SignalItem {
  return { chainId, ...sent(details) };
}

export function toTopic(
  topic: string,
  keepMs: number,
  details: Partial<SentSignal> & { readonly signalId: string },
): SignalItem {
  return { ...sent(details), topic, keepMs, signalId: details.signalId };
}

/** A job of the type "w" that waits, without an end if nothing else is said. */
export function waiting(wait: Partial<JobWait> = {}, details: Partial<JobStart> = {}): JobStart {
  return job("w", { waits: { until: undefined, ...wait }, ...details });
}

export async function sendAll(
  { store, options }: StateFixture,
  items: readonly SignalItem[],
  tx?: unknown,
): Promise<readonly SignalReply[]> {
  return accepted("the signals are accepted", await store.signal(items, options(tx)));
}

export async function send(fixture: StateFixture, item: SignalItem, tx?: unknown): Promise<SignalReply> {
  return only("one reply a signal", await sendAll(fixture, [item], tx));
}

/** Sends a signal with a number as its payload. */
export async function sendNumber(
  fixture: StateFixture,
  chainId: string,
  value: number,
  details: Partial<SentSignal> = {},
): Promise<SignalReply["delivered"]> {
  return (await send(fixture, toChain(chainId, { payload: String(value), ...details }))).delivered;
}

/** What a job has received: names and payloads. */
export function contentOf(received: readonly ReceivedSignal[] | undefined): readonly (readonly [string, string])[] {
  return (received ?? []).map(({ signal, payload }) => [signal, payload]);
}

/** The payloads that a job has received, as numbers. */
export function numbersOf(received: readonly ReceivedSignal[] | undefined): readonly number[] {
  return (received ?? []).map(({ payload }) => Number(payload));
}

export async function listed({ store, options }: StateFixture, chainId: string): Promise<readonly SignalRecord[]> {
  return await store.listSignals({ chainId, after: undefined, limit: 1_000 }, options());
}

/** How many signals of a chain no job has taken. */
export async function untaken(fixture: StateFixture, chainId: string): Promise<readonly number[]> {
  const signals = await listed(fixture, chainId);
  return signals.filter(({ takenBy }) => takenBy === undefined).map(({ payload }) => Number(payload));
}

/** Starts a chain of "a" and claims its first job, which can continue with one that waits. */
export async function running(fixture: StateFixture): Promise<Held> {
  await fixture.startOne(job("a"));
  return await fixture.claimOne("a");
}

/** A chain whose second job waits. */
export async function waitingChain(fixture: StateFixture, wait: Partial<JobWait> = {}): Promise<string> {
  const { fence, chainId } = await running(fixture);
  await fixture.settled(continued(fence, waiting(wait)));
  return chainId;
}

/** The newest job of a chain. */
export async function lastJob(fixture: StateFixture, chainId: string): Promise<JobRecord> {
  return only("the last job", await jobs(fixture, { chainId, limit: 1, order: "descending" }));
}
