import { ChainwrightError } from "../model/error.ts";
import { checkId } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { InTransaction } from "../types/list-options.ts";
import { checkJobKeys } from "./read-values.ts";
import { jobView, type View } from "./views.ts";

/** Without `typeName` any type will do. */
export interface GetOptions extends InTransaction<unknown> {
  readonly id: string;
  readonly typeName?: string | undefined;
}

export const getKeys = { id: true, typeName: true, tx: true } satisfies Record<keyof GetOptions, true>;

export async function getJob(store: StoreAccess, options: GetOptions): Promise<View | undefined> {
  checkJobKeys(options, getKeys, "getJob");
  const [job] = await store.state.getJobs([checkId(options.id, "id")], store.callOptions(options.tx));
  if (job === undefined) return undefined;
  const view = jobView(ofType(job, options.typeName), store.types.versions.read);
  if (job.status !== "blocked") return view;
  return {
    ...view,
    blockers: await store.state.countBlockers({ of: "job", id: job.id }, store.callOptions(options.tx)),
  };
}

/** Rejects a row of another type: the caller's types would not describe its payloads. */
export function ofType<Row extends { readonly id: string; readonly typeName: string }>(
  row: Row,
  typeName: string | undefined,
): Row {
  if (typeName === undefined || row.typeName === typeName) return row;
  throw new ChainwrightError("job-type-mismatch", `${row.id} is a "${row.typeName}", not a "${typeName}".`, {
    details: { id: row.id, actual: row.typeName },
  });
}
