import { createJournalStateAdapter } from "@chainwright/journal";
import { createClient } from "chainwright";
import { jobTypes } from "./job-types.ts";

export type JournalClient = Awaited<ReturnType<typeof openStore>>["client"];

/** Opens the chains of a folder, which one process at a time may do. What a call returns is on the disk. */
export async function openStore(folder: string) {
  const stateAdapter = await createJournalStateAdapter({ folder });
  const client = createClient({ stateAdapter, jobTypes });
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
  };
  return { client, close };
}

/** All chains, page by page. */
export async function* chainsOf(client: JournalClient) {
  let cursor: string | undefined;
  do {
    const page = await client.listChains({ order: "oldest", limit: 500, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
