import { chainwrightOnPostgres } from "@chainwright/bench-peers/chainwright";
import { notifyByName, notifyNames } from "./notify.ts";
import type { Row } from "./row.ts";

/** With each setting of the notify adapter. */
export const chainwrightRows: readonly Row[] = notifyNames.flatMap((notify) =>
  (["value", "atomic"] as const).map((mode) => {
    const name = `chainwright, notify ${notify}`;
    const contender = chainwrightOnPostgres({ name, mode, notify: notifyByName[notify] });
    return { name, mode, pace: "as asked", notify, contender };
  }),
);
