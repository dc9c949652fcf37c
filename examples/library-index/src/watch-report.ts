import { setTimeout as sleep } from "node:timers/promises";
import { stateOfReport } from "./chain.ts";
import type { LibraryClient } from "./database.ts";

interface WatchOptions {
  readonly chainId: string;
  /** Called with what the report's handler says about its progress, in whichever process it runs. */
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** How often it is asked whether the report has begun. */
const lookEveryMs = 100;

/** Follows the report from this process, and returns when it has ended: the number of the entry with which its last attempt went on, if it did. */
export async function watchReport(
  client: LibraryClient,
  { chainId, onProgress, signal }: WatchOptions,
): Promise<number | undefined> {
  let state = await stateOfReport(client, chainId);
  while (state === undefined || state.filesLeft > 0) {
    await sleep(lookEveryMs, undefined, { signal });
    state = await stateOfReport(client, chainId);
  }
  let wentOnAt: number | undefined;
  for await (const update of client.watchJob({ id: state.jobId, typeName: "library.report", signal })) {
    if (update.kind === "progress") onProgress(update.progress.done, update.progress.total);
    if (update.kind === "log") wentOnAt = mergedIn(update.data) ?? wentOnAt;
  }
  return wentOnAt;
}

function mergedIn(data: unknown): number | undefined {
  if (typeof data !== "object" || data === null || !("merged" in data)) return undefined;
  return typeof data.merged === "number" ? data.merged : undefined;
}
