import type { CallOptions, JobRef, Reply } from "chainwright/adapter";
import { factOf, inPlace, refOf, refusalOf } from "../result-rows.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Makes scheduled jobs ready. All or nothing. */
export async function trigger<Tx>(
  store: Store<Tx>,
  jobIds: readonly string[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly JobRef[]>> {
  if (jobIds.length === 0) return { ok: true, value: [] };
  const rows = await call(store, { name: "trigger_v1", parameters: [JSON.stringify(jobIds)] }, options);
  const facts = rows.map(factOf);
  const refused = facts.find(({ kind }) => kind === "refused");
  if (refused !== undefined) return { ok: false, refusal: refusalOf(refused) };
  return { ok: true, value: inPlace(facts.map(refOf), jobIds.length, "trigger") };
}
