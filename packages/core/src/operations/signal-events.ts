import { named } from "../engine/job-events.ts";
import type { ChainEvent } from "../model/event.ts";
import type { SentSignal } from "../model/signal.ts";
import type { SignalReply } from "../ports/signal.ts";

/**
 * The events of a signal that was sent.
 *
 * @param chainId undefined: it was sent to a topic
 */
export function signalEvents(
  chainId: string | undefined,
  { typeName, signal, signalId }: SentSignal,
  reply: SignalReply | undefined,
): readonly ChainEvent[] {
  if (reply === undefined) return [];
  const { delivered, woken } = reply;
  const sent = { typeName, signal, signalId };
  const received = woken.map((job): ChainEvent => {
    return { type: "signal-received", ...sent, chainId: job.chainId, wokeJobId: job.jobId, ...named(job.claimName) };
  });
  if (chainId === undefined || received.length > 0) return received;
  if (delivered === "taken") return [{ type: "signal-received", ...sent, chainId, wokeJobId: undefined }];
  return delivered === "buffered" ? [{ type: "signal-buffered", ...sent, chainId }] : [];
}
