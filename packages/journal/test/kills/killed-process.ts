// Many callers and a worker on a journal, until it is killed or its input ends: node killed-process.ts <json>.
import { randomUUID } from "node:crypto";
import { isChainwrightError } from "chainwright";
import { openNotes } from "./notes.ts";
import { openWork, type KilledFolder } from "./open.ts";

const callers = 30;

const { notes, folder, intervalMs } = JSON.parse(process.argv[2] ?? "") as KilledFolder & { readonly notes: string };
const note = openNotes(notes);
process.stdout.write("opening\n");
const { client, worker, close } = await openWork({ folder, intervalMs }, note);
const ending = new AbortController();
process.stdin.resume();
process.stdin.once("end", () => {
  ending.abort();
  void close();
});

function itemsOf(group: string, of: number) {
  return Array.from({ length: of }, () => {
    return { typeName: "member.begin", input: { group, of, fails: Math.random() < 0.1 } } as const;
  });
}

/** Starts a group in one call, or in a transaction of two. */
async function startGroup(group: string) {
  const of = 1 + Math.floor(Math.random() * 3);
  if (of !== 2) return client.startChains({ items: itemsOf(group, of) });
  return client.transaction(async (tx) => {
    const first = await client.startChains({ items: itemsOf(group, of).slice(1), tx });
    return [...first, ...(await client.startChains({ items: itemsOf(group, of).slice(1), tx }))];
  });
}

/** Other callers use the same key meanwhile, and other processes before and after. */
function startOnce() {
  const group = `once ${Math.floor(Date.now() / 20)}`;
  const [item] = itemsOf(group, 1);
  if (item === undefined) throw new Error("there is no item");
  return client.startChain({ ...item, deduplication: { key: group, scope: "any" } }).then((chain) => [chain] as const);
}

async function act(): Promise<void> {
  const group = Math.random() < 0.1 ? "once" : randomUUID();
  const started = await (group === "once" ? startOnce() : startGroup(group));
  const chains = started.map(({ id }) => id);
  note({ kind: "started", group, chains });
  for (const id of chains) {
    await client.awaitChain({ id });
    note({ kind: "ended", chain: id });
  }
  if (group === "once" || Math.random() < 0.2) return;
  for (const id of chains) note({ kind: "deleting", chain: id });
  await client.deleteChains({ items: chains.map((id) => ({ id })) });
  for (const id of chains) note({ kind: "deleted", chain: id });
}

async function actOnAndOn(): Promise<void> {
  try {
    while (!ending.signal.aborted) await act();
  } catch (error) {
    if (!ending.signal.aborted || !isChainwrightError(error, "closed")) throw error;
  }
}

await worker.start();
process.stdout.write("begun\n");
await Promise.all(Array.from({ length: callers }, actOnAndOn));
