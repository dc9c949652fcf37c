import type { Call } from "../call.ts";
import { confirm } from "../confirm.ts";
import type { ErasedClient } from "chainwright/adapter";
import { stopSignal } from "../stopping.ts";
import { performAll, type Change } from "./perform.ts";
import { reportAccount, type Words } from "./report.ts";

export interface BulkFlags {
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
}

export interface BulkWork extends Words {
  readonly ids: readonly string[];
  /** Asked before more than one is changed. */
  readonly question: string;
  readonly change: Change;
}

/** Asks, changes, and tells what was done. Ctrl-C ends it after the batch that it is in. */
export async function bulk(call: Call, client: ErasedClient, work: BulkWork, flags: BulkFlags): Promise<number> {
  if (work.ids.length > 1 && flags.dryRun !== true) await confirm(call, work.question, flags);
  const stopped = stopSignal(call);
  const account = await performAll(work.ids, {
    client,
    change: work.change,
    dryRun: flags.dryRun,
    isStopped: () => stopped.aborted,
    progress: (done, total) => {
      if (total > done) call.out.note(`${done.toLocaleString("en")} of ${total.toLocaleString("en")}`);
    },
  });
  return reportAccount(call, account, work, flags);
}
