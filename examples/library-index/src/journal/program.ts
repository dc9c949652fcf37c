// The program that is killed: it starts a chain for each file and runs them. run.ts starts it: program.ts FOLDER LIBRARY STOP-AFTER
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createProcessors, createWorker } from "chainwright";
import { scan } from "../scan.ts";
import { jobTypes } from "./job-types.ts";
import type { ProgramMessage } from "./run.ts";
import { chainsOf, openStore, type JournalClient } from "./store.ts";

const [, , folder = "", library = "", stopAfter = ""] = process.argv;
const startsOfCall = 20;
const send = (message: ProgramMessage): void => {
  if (process.connected) process.send?.(message);
};
const { client, close } = await openStore(folder);
const worker = createWorker({
  client,
  processors: [createHandlers(stopAfter === "" ? Infinity : Number(stopAfter))],
  concurrency: 10,
  // The check at the end needs all chains.
  retention: { completedMs: Infinity },
});
await worker.start();
await startMissing();
for await (const chain of chainsOf(client)) {
  if (chain.typeName === "file.digest") await client.awaitChain({ id: chain.id, typeName: "file.digest" });
}
for await (const chain of chainsOf(client)) {
  if (chain.typeName === "file.note") await client.awaitChain({ id: chain.id, typeName: "file.note" });
}
await worker.stop();
await close();
process.disconnect();

/** Starts chains for the files that have none yet: those of the program before are in the folder. */
async function startMissing(): Promise<void> {
  const known = new Set<string>();
  for await (const { typeName, input } of chainsOf(client)) if (typeName === "file.digest") known.add(input.path);
  const { files } = await scan(library, { leaveOut: [folder] });
  const missing = files.filter((path) => !known.has(path));
  send({ kind: "found", files: files.length, known: known.size });
  for (let at = 0; at < missing.length; at += startsOfCall) {
    const some = missing.slice(at, at + startsOfCall);
    const started = await client.startChains({
      items: some.map((path) => ({ typeName: "file.digest" as const, input: { path } })),
    });
    // From here on no kill may lose them.
    send({ kind: "acknowledged", ids: started.map(({ id }) => id) });
  }
}

/** The step that is number `last` stops inside its transaction, and waits to be killed. */
function createHandlers(last: number) {
  let steps = 0;
  return createProcessors({
    client: client satisfies JournalClient,
    jobTypes,
    processors: {
      "file.digest": async ({ job, complete }) => {
        const { path } = job.input;
        const sha256 = hash("sha256", await readFile(join(library, path)));
        return complete(async ({ tx }) => {
          await client.startChain({ tx, typeName: "file.note", input: { path, digestId: job.id } });
          steps += 1;
          if (steps === last) {
            send({ kind: "half-way" });
            await new Promise<never>(() => undefined);
          }
          return { sha256 };
        });
      },
      "file.note": async () => null,
    },
  });
}
