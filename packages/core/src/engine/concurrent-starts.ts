import type { JobStart } from "../model/job-start.ts";
import type { CallOptions } from "../ports/call.ts";
import type { Reply } from "../ports/reply.ts";
import type { StartCall, StartReply } from "../ports/start.ts";
import type { StateAdapter } from "../ports/state.ts";
import type { ShareCalls } from "./shared-calls.ts";

type Start = (call: StartCall) => Promise<Reply<readonly StartReply[]>>;

/**
 * Starts without a transaction. Those that are made at the same time share one statement, see `shared-calls.ts`. A start with a
 * deduplication key or with blockers may have to wait for another transaction. Such starts share statements among themselves.
 */
export function shareStarts(state: StateAdapter, share: ShareCalls): Start {
  const send = (calls: readonly StartCall[], options: CallOptions<unknown>) => state.start(calls, options);
  const startPlain = share({ send, mayWait: false, weigh: weightOf });
  const startPatiently = share({ send, mayWait: true, weigh: weightOf });
  return (call) => {
    const isPatient = call.starts.some(mayWait);
    return isPatient ? startPatiently(call) : startPlain(call);
  };
}

/** Whether a start may have to wait for an open transaction. */
function mayWait({ deduplication, blockers }: JobStart): boolean {
  return deduplication !== undefined || blockers.length > 0;
}

function weightOf({ starts }: StartCall): number {
  return starts.reduce((sum, { input }) => sum + input.length, 0);
}
