import { chainwrightOnPostgres } from "@chainwright/bench-peers/chainwright";
import type { Mode } from "@chainwright/bench-peers";
import { notifyByName, notifyNames, type NotifyName } from "./notify.ts";
import type { Row } from "./row.ts";

/** With each setting of the notify adapter. For transactions nothing else is recommended. */
export const chainwrightRows: readonly Row[] = notifyNames.flatMap((notify) => [
  rowOf(notify, "value", "as asked"),
  rowOf(notify, "value", "recommended"),
  rowOf(notify, "atomic", "as asked"),
]);

function rowOf(notify: NotifyName, mode: Mode, pace: Row["pace"]): Row {
  const asked = `chainwright, notify ${notify}`;
  const name = pace === "recommended" ? `${asked}, recommended` : asked;
  const contender = chainwrightOnPostgres({ name, mode, notify: notifyByName[notify] });
  return { name, mode, pace, notify, contender };
}
