import type { GatheredBatch } from "../engine/gathered-batch.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { NotesRecord } from "../model/note.ts";
import type { JobRecord } from "../model/record.ts";

/**
 * What a leased job does: it waits for a batch, or it runs, with what it has noted last. Only a worker of this client can say that its
 * job waits: the store does not know it, and to other processes the job runs. Undefined: it is not leased.
 */
export async function runningSentence(store: StoreAccess, job: JobRecord, tx: unknown): Promise<string | undefined> {
  if (job.status !== "running") return undefined;
  for (const find of store.gatherings) {
    const batch = find(job.id);
    if (batch !== undefined) return gatheredSentence(batch);
  }
  const query = { items: [{ jobId: job.id }], lines: 0, order: "ascending", memos: "none" } as const;
  const [notes] = await store.state.listNotes(query, store.callOptions(tx));
  const leased = `It is running, leased by worker ${job.leasedBy} until ${new Date(job.leasedUntil ?? 0).toISOString()}.`;
  return [leased, ...notedSentences(notes, store.clock.now())].join(" ");
}

function gatheredSentence({ name, count, size, mostMs }: GatheredBatch): string {
  const jobs = `${count} of ${size}`;
  if (mostMs === undefined) return `It waits in worker ${name} for a slot, in a batch (${jobs}).`;
  return `It waits in worker ${name} for a batch (${jobs}, at most ${secondsOf(mostMs)} s more).`;
}

function notedSentences(notes: NotesRecord | undefined, now: number): readonly string[] {
  const { progress, checkpoint } = notes ?? {};
  const sentences: string[] = [];
  if (progress !== undefined)
    sentences.push(`Its progress was ${shorten(progress.value)} ${secondsOf(now - progress.at)} s ago.`);
  if (checkpoint !== undefined)
    sentences.push(`Its last checkpoint was saved ${secondsOf(now - checkpoint.at)} s ago.`);
  return sentences;
}

/** By two clocks: a moment in the future was just now. */
function secondsOf(ms: number): string {
  return (Math.max(0, ms) / 1_000).toFixed(1);
}

const longestShown = 200;

function shorten(json: string): string {
  return json.length <= longestShown ? json : `${json.slice(0, longestShown)}…`.toWellFormed();
}
