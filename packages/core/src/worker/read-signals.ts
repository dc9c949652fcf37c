import { whenAllKnown } from "../checks/schema-verdict.ts";
import type { Engine } from "../engine/engine.ts";
import type { ClaimedJob } from "../model/record.ts";
import { endedBy } from "../model/signal.ts";

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
export function readSignals(
  { types }: Pick<Engine, "types">,
  { typeName, received, collect }: ClaimedJob,
): SeenSignals | undefined | Promise<SeenSignals> {
  if (received === undefined) return undefined;
  const payloads = received.map(({ signal, payload }) => types.signals.readPayload(typeName, signal, payload));
  return whenAllKnown(payloads, (read) => {
    const receivedAll = received.map(({ signal, at, signalId }, index) => {
      return { signal, payload: read[index], at: new Date(at), signalId };
    });
    return { received: endedBy(received, collect) === undefined ? undefined : receivedAll.at(-1), receivedAll };
  });
}
