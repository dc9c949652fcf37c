// The worker: run as many as you like. One that is killed loses nothing.
import { createWorker } from "chainwright";
import { client, close } from "./client.ts";
import { processors } from "./processors.ts";

const worker = createWorker({ client, processors: [processors], concurrency: 8, leaseMs: 2_000 });
await worker.start();
console.log("ready");
process.once("SIGTERM", () => {
  void (async () => {
    await worker.stop({ timeoutMs: 10_000 });
    await close();
  })();
});
