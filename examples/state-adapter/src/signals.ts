import type { Publication, ReceivedSignal, Rows, SentSignal, SignalQuery, SignalRecord } from "chainwright/adapter";
import type { Data, Job, StoredRow } from "./data.ts";
import { byId, chainWith } from "./jobs.ts";

/** What the rules of signals read and write. */
export function signalRowsOf(data: Data) {
  return {
    waitOf: (job) => job.wait && { ...job.wait, isWaiting: job.status === "waiting" },
    hasSignal: (chain, signalId) =>
      signalId !== undefined && signalsOf(data, chain).some((row) => row.signalId === signalId),
    countUntaken: (chain) => signalsOf(data, chain).filter(isUntaken).length,
    untaken: (chain, typeName) => signalsOf(data, chain).filter((row) => isUntaken(row) && row.typeName === typeName),
    waitersOf: (topic, typeName) =>
      [...data.jobs.values()]
        .filter(
          (job) => job.status === "waiting" && job.typeName === typeName && job.wait?.topics?.includes(topic) === true,
        )
        .toSorted(byId),
    keptFor: (topic, typeName, now) =>
      data.kept.filter((each) => each.topic === topic && each.typeName === typeName && each.until > now),
    addSignal: (chain, sent, at) => addSignal(data, chain, sent, at),
    receive: (job, chain, sent, { at, received }) => {
      const position = addSignal(data, chain, sent, at);
      if (position !== undefined) take(data, job, { positions: [position], received });
      return position !== undefined;
    },
    take: (job, positions, received) => take(data, job, { positions, received }),
    keep: (topic, publication, until) => void data.kept.push({ ...publication, topic, until }),
  } satisfies Partial<Rows<Job, Job>>;
}

export function listSignals(data: Data, { chainId, after = 0, limit }: SignalQuery): SignalRecord[] {
  const chain = chainWith(data, chainId);
  const rows = chain === undefined ? [] : signalsOf(data, chain);
  return rows
    .filter(({ position }) => position > after)
    .slice(0, limit)
    .map(({ position, typeName, signal, payload, at, signalId, context, takenBy }) => {
      return { chainId, position, typeName, signal, payload, at, signalId, context, takenBy };
    });
}

/** Forgets what is kept no longer. */
export function forgetPublications(data: Data, now: number): void {
  data.kept = data.kept.filter(({ until }) => until > now);
}

function signalsOf(data: Data, { id }: Job): StoredRow[] {
  return data.signals.get(id) ?? [];
}

const isUntaken = ({ takenBy }: StoredRow): boolean => takenBy === undefined;

function addSignal(data: Data, chain: Job, sent: SentSignal | Publication, at: number): number | undefined {
  const rows = signalsOf(data, chain);
  const { typeName, signal, payload, signalId, context } = sent;
  if (signalId !== undefined && rows.some((row) => row.signalId === signalId)) return undefined;
  const position = rows.length + 1;
  data.signals.set(chain.id, [
    ...rows,
    { position, typeName, signal, payload, at, signalId, context, takenBy: undefined },
  ]);
  return position;
}

interface Taking {
  readonly positions: readonly number[];
  readonly received: readonly ReceivedSignal[];
}

function take(data: Data, job: Job, { positions, received }: Taking): void {
  if (job.wait !== undefined) job.wait = { ...job.wait, received };
  for (const row of data.signals.get(job.chainId) ?? []) if (positions.includes(row.position)) row.takenBy = job.id;
}
