import { createHash } from "node:crypto";
import type { LibraryClient } from "./database.ts";

/** The library chain of a run. */
export interface LibraryChain {
  readonly id: string;
  readonly folder: string;
  readonly startedAt: Date;
  /** Whether an earlier run started it. */
  readonly resumed: boolean;
}

export interface StartOptions {
  /** Undefined: the folder of an unfinished earlier run, or else `otherwise`. */
  readonly folder: string | undefined;
  readonly otherwise: string;
  readonly chunkBytes: number;
  readonly leaveOut: string[];
}

/** Starts the library's chain, or finds the unfinished one of an earlier run. */
export async function startOrResume(client: LibraryClient, options: StartOptions): Promise<LibraryChain> {
  const { chunkBytes, leaveOut } = options;
  if (options.folder === undefined) {
    const { items } = await client.listChains({ typeName: "library.index", status: "active", limit: 1 });
    const [unfinished] = items;
    if (unfinished !== undefined) {
      return { id: unfinished.id, folder: unfinished.input.folder, startedAt: unfinished.createdAt, resumed: true };
    }
  }
  const folder = options.folder ?? options.otherwise;
  const chain = await client.startChain({
    typeName: "library.index",
    input: { folder, chunkBytes, leaveOut },
    // While a chain for this folder is active, a start returns that chain. (A path may be longer than a key, so it is hashed.)
    deduplication: { key: createHash("sha256").update(folder).digest("hex") },
  });
  return { id: chain.id, folder, startedAt: chain.createdAt, resumed: chain.deduplicated };
}

export interface ReportState {
  readonly jobId: string;
  readonly files: number;
  /** The number of files' chains that have not ended. */
  readonly filesLeft: number;
}

/** Returns the progress of a library's chain; undefined while the folder is being scanned. */
export async function stateOfReport(client: LibraryClient, chainId: string): Promise<ReportState | undefined> {
  const { items } = await client.listChainJobs({ id: chainId, typeName: "library.report", limit: 1 });
  const [report] = items;
  if (report === undefined) return undefined;
  return { jobId: report.id, files: report.input.files, filesLeft: report.blockersLeft };
}
