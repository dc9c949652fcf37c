import type { StarterOf } from "chainwright";
import type { newsletterJobTypes } from "./job-types.ts";

/** Works with every client that has the newsletter's job types, whichever others it has. */
export async function subscribe(client: StarterOf<typeof newsletterJobTypes>, email: string, signal: AbortSignal) {
  const chain = await client.startChain({
    typeName: "subscriber.confirm",
    input: { email },
    deduplication: { key: email },
  });
  const { output } = await client.awaitChain(chain, { timeoutMs: 5_000, signal });
  return output;
}
