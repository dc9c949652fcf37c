import { isErasedClient } from "chainwright/adapter";

/** Replaces what a client does when a look counts its jobs. Returns a function that undoes it. */
export function onLook(client: object, run: (count: () => Promise<unknown>) => Promise<unknown>): () => void {
  if (!isErasedClient(client)) throw new TypeError("client must be a value that createClient returned");
  const { countAllJobs } = client;
  Object.assign(client, { countAllJobs: async () => await run(countAllJobs) });
  return () => void Object.assign(client, { countAllJobs });
}
