import type { Engine } from "../engine/engine.ts";
import type { ClaimedJob } from "../model/record.ts";
import { endedBy, type ReceivedSignal } from "../model/signal.ts";

/** What the handler of a job that waited sees of the signals that it received. */
export interface SeenSignals {
  readonly received: object | undefined;
  readonly receivedAll: readonly object[];
}

/**
 * The signals of a claimed job that waited. Undefined: it did not wait.
 *
 * @throws `UnreadableInput`
 */
export async function readSignals(
  engine: Pick<Engine, "types">,
  { typeName, received, collect }: ClaimedJob,
): Promise<SeenSignals | undefined> {
  if (received === undefined) return undefined;
  const receivedAll = await Promise.all(received.map((one) => seen(engine, typeName, one)));
  return { received: endedBy(received, collect) === undefined ? undefined : receivedAll.at(-1), receivedAll };
}

async function seen(
  { types }: Pick<Engine, "types">,
  typeName: string,
  { signal, payload, at, signalId }: ReceivedSignal,
): Promise<object> {
  return { signal, payload: await types.signals.readPayload(typeName, signal, payload), at: new Date(at), signalId };
}
