import type { CompensateItem, CompensateReply } from "../ports/compensate.ts";
import type { StateAdapter } from "../ports/state.ts";
import type { ShareCalls } from "./shared-calls.ts";

/**
 * Records what undoes the steps of running attempts. Calls at the same time share one statement, see `shared-calls.ts`. Another
 * transaction may have locked the job of an attempt, for example to cancel its chain.
 */
export function shareCompensations(
  state: StateAdapter,
  share: ShareCalls,
): (item: CompensateItem) => Promise<CompensateReply> {
  return share<CompensateItem, CompensateReply>({
    send: (items, options) => state.compensate(items, options),
    mayWait: true,
    weigh: ({ compensation }) => compensation.input.length,
  });
}
