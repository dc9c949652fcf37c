import { eachChore, type CallOptions, type Chore, type MaintainReply, type MaintainRequest } from "chainwright/adapter";
import { call, type FunctionCall, type Store } from "../store.ts";

/** Runs one bounded pass of each requested chore, in a transaction of its own. Waits for no lock. */
export function maintain<Tx>(
  store: Store<Tx>,
  request: MaintainRequest,
  options: CallOptions<Tx>,
): Promise<MaintainReply> {
  return eachChore(request, async (chore) => {
    const [row] = await call(store, passOf(chore, request), options);
    const [count, more] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0) === 1];
    if (chore === "workers" && count > 0) return { removed: 0, more, repaired: count };
    return { removed: chore === "retention" ? count : 0, more };
  });
}

function passOf(chore: Chore, { completedMs, failedMs, limit }: MaintainRequest): FunctionCall {
  if (chore !== "retention") return { name: `${chore}_v1`, parameters: [String(limit)] };
  return { name: "retention_v1", parameters: [textOf(completedMs), textOf(failedMs), String(limit)] };
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}
