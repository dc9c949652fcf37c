import {
  checkBytes,
  checkDuration,
  checkId,
  checkKeys,
  given,
  invalid,
  isList,
  type OptionKeys,
} from "../checks/check-options.ts";
import { serialize } from "../checks/json.ts";
import { captureContext } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import type { SentSignal } from "../model/signal.ts";
import type { Delivery, SignalItem, SignalReply } from "../ports/signal.ts";
import { change } from "./change.ts";
import { signalEvents } from "./signal-events.ts";
import { checkSignalName, checkTopic } from "./wait-options.ts";

/** A signal as a caller wrote it, its types erased. */
export interface StartSignal {
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
  readonly signalId?: string | undefined;
}

export interface ChainSignal extends StartSignal {
  readonly id: string;
}

export interface PublishedSignal extends StartSignal {
  readonly topic: string;
  readonly keepMs: number;
}

const startSignalKeys = {
  typeName: true,
  signal: true,
  payload: true,
  signalId: true,
} satisfies Record<keyof StartSignal, true>;
const chainSignalKeys = { ...startSignalKeys, id: true } satisfies Record<keyof ChainSignal, true>;
const publishKeys = { ...startSignalKeys, topic: true, keepMs: true, tx: true } satisfies OptionKeys;
/** The most signals of a call. */
const mostSignals = 1_000;
const longestSignalId = 500;

/** Hands signals to chains; all or none. */
export async function signalChains(
  engine: Engine,
  items: readonly ChainSignal[],
  tx: unknown,
): Promise<readonly { readonly delivered: Delivery }[]> {
  if (items.length === 0) return [];
  checkCount(items.length, "items");
  const sent = await Promise.all(items.map((item) => prepareForChain(engine, item)));
  const replies = await send(engine, sent, tx);
  return replies.map(({ delivered }) => ({ delivered }));
}

/** Hands a signal to all that waits for a topic. */
export async function publishSignal(
  engine: Engine,
  options: PublishedSignal & { readonly tx?: unknown },
): Promise<{ readonly reached: number }> {
  checkKeys(given(options, "publishSignal"), publishKeys, "publishSignal");
  const { tx, keepMs, ...item } = options;
  const topic = checkTopic(item.topic);
  const signal = await prepareSignal(engine, item);
  // Each chain gets a publication once, which needs an id.
  const signalId = signal.signalId ?? engine.newId();
  const published = { ...signal, signalId, topic, keepMs: checkDuration(keepMs, "keepMs") };
  const [reply] = await send(engine, [published], tx);
  return { reached: reply?.reached ?? 0 };
}

/** Checks the signals of a start. Undefined: it has none. */
export async function prepareStartSignals(
  engine: Engine,
  items: readonly StartSignal[],
): Promise<readonly SentSignal[] | undefined> {
  if (!isList(items)) throw invalid("signals must be an array of { typeName, signal, payload }.");
  checkCount(items.length, "signals");
  for (const item of items) checkKeys(item, startSignalKeys, "a signal of a start");
  return items.length === 0 ? undefined : await Promise.all(items.map((item) => prepareSignal(engine, item)));
}

async function prepareForChain(engine: Engine, item: ChainSignal): Promise<SignalItem> {
  checkKeys(item, chainSignalKeys, "signalChain");
  const chainId = checkId(item.id, "id");
  return { ...(await prepareSignal(engine, item)), chainId };
}

async function prepareSignal(engine: Engine, item: StartSignal): Promise<SentSignal> {
  const { typeName, signalId } = item;
  engine.types.assertKnown(typeName);
  const signal = checkSignalName(engine, typeName, item.signal);
  const what = `the payload of signal "${signal}" of "${typeName}"`;
  const payload = serialize(item.payload, what, engine.maxPayloadBytes);
  await engine.types.signals.checkPayload(typeName, signal, payload);
  return {
    typeName,
    signal,
    payload,
    signalId: signalId === undefined ? undefined : checkBytes(signalId, "signalId", longestSignalId),
    context: captureContext(engine.contexts, () => ({ jobId: engine.newId(), typeName, operation: "signal" })),
  };
}

async function send(engine: Engine, items: readonly SignalItem[], tx: unknown): Promise<readonly SignalReply[]> {
  const replies = await change(engine, tx, () => engine.state.signal(items, engine.callOptions(tx)));
  if (replies.length !== items.length)
    throw new TypeError(
      `the state adapter must return a reply for each signal; got ${replies.length} for ${items.length}.`,
    );
  engine.events.record(
    items.flatMap((item, index) => signalEvents("topic" in item ? undefined : item.chainId, item, replies[index])),
    tx,
  );
  return replies;
}

function checkCount(count: number, what: string): void {
  if (count > mostSignals)
    throw invalid(`${what} must be at most ${mostSignals} signals; got ${count}. Make several calls.`);
}
