import type { Worker } from "chainwright";
import type { OpenStore } from "../store/open-store.ts";

interface Work {
  readonly worker: Worker;
  readonly client: { close(): Promise<void> };
  readonly store: OpenStore;
}

/** Starts a worker, says so, and ends it with all that it uses when the input of this process ends. */
export async function workUntilInputEnds({ worker, client, store }: Work): Promise<void> {
  await worker.start();
  process.stdout.write("begun\n");
  process.stdin.resume();
  process.stdin.once("end", () => {
    void (async () => {
      await worker.stop({ timeoutMs: 5_000 });
      await client.close();
      await store.notifyAdapter?.close();
      await store.close();
    })();
  });
}
