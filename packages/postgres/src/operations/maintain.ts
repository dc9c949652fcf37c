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
    return { removed: chore === "retention" ? Number(row?.[0] ?? 0) : 0, more: Number(row?.[1] ?? 0) === 1 };
  });
}

function passOf(chore: Chore, { completedMs, failedMs, limit }: MaintainRequest): FunctionCall {
  if (chore !== "retention") return { name: `${chore}_v1`, parameters: [String(limit)] };
  return { name: "retention_v1", parameters: [textOf(completedMs), textOf(failedMs), String(limit)] };
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}
