import type { CallOptions, PauseRequest } from "chainwright/adapter";
import { call, type Store } from "../store.ts";

/** Pauses and resumes job types. */
export async function setPauses<Tx>(
  store: Store<Tx>,
  { pauses, resume }: PauseRequest,
  options: CallOptions<Tx>,
): Promise<void> {
  const parameters = [JSON.stringify(pauses), JSON.stringify(resume)];
  await call(store, { name: "set_pauses_v1", parameters }, options);
}
