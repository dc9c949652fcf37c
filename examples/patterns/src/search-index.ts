// A search index that follows its documents. Each change of a document starts a chain; `debounce` lets the changes of a document that come
// soon after each other run once, with the last revision. A document that changes all the time is indexed every 200 ms all the same.
import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";

const jobTypes = defineJobTypes<{
  "search.index": { entry: true; input: { documentId: string; revision: number }; output: { indexed: number } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "search.index": async ({ job: { input } }) => {
      console.log(`${input.documentId} is indexed at revision ${input.revision}`);
      return { indexed: input.revision };
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const changed = (documentId: string, revision: number) =>
  client.startChain({
    typeName: "search.index",
    input: { documentId, revision },
    debounce: { key: documentId, quietMs: 100, maxWaitMs: 200 },
  });

const essay = await changed("essay", 1);
for (const revision of [2, 3, 4]) {
  const { id, deduplicated } = await changed("essay", revision);
  if (id === essay.id && deduplicated) console.log(`revision ${revision} goes into the chain that waits`);
}
await client.awaitChain(essay);

// The chain has run: the next change starts another one.
const last = await changed("essay", 5);
await client.awaitChain(last);
console.log(`${(await client.listChains({ typeName: "search.index" })).items.length} chains for 5 revisions`);

await worker.stop();
await client.close();
