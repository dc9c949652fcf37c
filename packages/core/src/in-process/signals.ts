import type { Received, ReceivedSignal, SentSignal, SignalRecord } from "../model/signal.ts";
import type { Publication, StoredSignal } from "../rules/signal-rows.ts";
import { nothing } from "../rules/replies.ts";
import type { JobRow } from "./row-types.ts";
import type { ChainSignals, KeptPublication, SignalRow } from "./signal-store.ts";
import { byId } from "./sorted-rows.ts";
import { touch } from "./store.ts";
import type { Store } from "./store.ts";

export function waitersOf({ signals }: Store, topic: string, typeName: string): JobRow[] {
  const rows = [...(signals.waiters.get(topic) ?? nothing)];
  return rows.filter(({ lane }) => lane.type.name === typeName).sort(byId);
}

export function hasSignal({ signals }: Store, chain: JobRow, id: string | undefined): boolean {
  return id !== undefined && signals.byChain.get(chain)?.ids.has(id) === true;
}

export function countUntaken({ signals }: Store, chain: JobRow): number {
  return signals.byChain.size === 0 ? 0 : (signals.byChain.get(chain)?.count ?? 0);
}

export function* untaken({ signals }: Store, chain: JobRow, typeName: string): Generator<StoredSignal> {
  const queue = signals.byChain.get(chain)?.untaken.get(typeName);
  if (queue === undefined) return;
  for (let at = queue.head; at < queue.rows.length; at += 1) {
    const row = queue.rows[at];
    if (row !== undefined && row.takenBy === undefined) yield row;
  }
}

/** Undefined: the chain has a signal with this id. */
export function addSignal(store: Store, chain: JobRow, sent: SentSignal, at: number): number | undefined {
  const { byChain } = store.signals;
  const known = byChain.get(chain);
  const { typeName, signal, payload, signalId, context } = sent;
  if (signalId !== undefined && known?.ids.has(signalId) === true) return undefined;
  const all: ChainSignals = known ?? { rows: [], ids: new Set(), untaken: new Map(), count: 0 };
  if (known === undefined) byChain.set(chain, all);
  const queue = all.untaken.get(typeName) ?? { rows: [], head: 0 };
  all.untaken.set(typeName, queue);
  const position = all.rows.length + 1;
  const row: SignalRow = { typeName, signal, payload, signalId, context, at, position, takenBy: undefined };
  all.rows.push(row);
  queue.rows.push(row);
  all.count += 1;
  if (signalId !== undefined) all.ids.add(signalId);
  store.changes?.others.push(["signal", chain.id, position]);
  store.journal?.push(() => {
    all.rows.pop();
    queue.rows.pop();
    all.count -= 1;
    if (signalId !== undefined) all.ids.delete(signalId);
    if (all.rows.length === 0) byChain.delete(chain);
  });
  return position;
}

/** The job takes a signal that arrives. */
export function receive(
  store: Store,
  { job, chain, sent }: { readonly job: JobRow; readonly chain: JobRow; readonly sent: SentSignal },
  { at, received }: Received,
): boolean {
  const position = addSignal(store, chain, sent, at);
  if (position === undefined) return false;
  takeSignals(store, job, [position], received);
  return true;
}

/** The job has taken signals of its chain. */
export function takeSignals(
  store: Store,
  job: JobRow,
  positions: readonly number[],
  received: readonly ReceivedSignal[],
): void {
  touch(store, job);
  job.wait = job.wait && { ...job.wait, received };
  const all = store.signals.byChain.get(job.chain ?? job);
  if (all === undefined) return;
  for (const position of positions) {
    take(store, all, { position, jobId: job.id });
    store.changes?.others.push(["signal", (job.chain ?? job).id, position]);
  }
}

function take(
  { journal }: Store,
  all: ChainSignals,
  { position, jobId }: { readonly position: number; readonly jobId: string },
): void {
  const row = all.rows[position - 1];
  const queue = row && all.untaken.get(row.typeName);
  if (row === undefined || queue === undefined) return;
  const { head } = queue;
  row.takenBy = jobId;
  all.count -= 1;
  while (queue.rows[queue.head]?.takenBy !== undefined) queue.head += 1;
  journal?.push(() => {
    row.takenBy = undefined;
    all.count += 1;
    queue.head = head;
  });
}

/** Forgets the signals of a chain that is deleted. */
export function removeSignals(store: Store, chain: JobRow): void {
  const { signals, journal } = store;
  const all = signals.byChain.get(chain);
  if (all === undefined) return;
  signals.byChain.delete(chain);
  for (const { position } of all.rows) store.changes?.others.push(["signal", chain.id, position]);
  journal?.push(() => void signals.byChain.set(chain, all));
}

export function listSignals(
  { signals }: Store,
  chain: JobRow,
  { after = 0, limit }: { readonly after: number | undefined; readonly limit: number },
): SignalRecord[] {
  const rows = signals.byChain.get(chain)?.rows.slice(after, after + limit) ?? [];
  return rows.map(({ position, typeName, signal, payload, at, signalId, context, takenBy }) => {
    return { chainId: chain.id, position, typeName, signal, payload, at, signalId, context, takenBy };
  });
}

export function keep(store: Store, topic: string, publication: Publication, until: number): void {
  setKept(store, topic, [...(store.signals.kept.get(topic) ?? nothing), { ...publication, until }]);
}

export function keptFor({ signals }: Store, topic: string, typeName: string, now: number): readonly Publication[] {
  const kept = signals.kept.get(topic) ?? nothing;
  return kept.filter((each) => each.typeName === typeName && each.until > now);
}

/** Forgets up to `limit` topics of which something is kept no longer; returns whether there may be more. */
export function forgetPublications(store: Store, limit: number, now: number): boolean {
  let left = limit;
  for (const [topic, all] of store.signals.kept) {
    const kept = all.filter(({ until }) => until > now);
    if (kept.length === all.length) continue;
    if (left === 0) return true;
    left -= 1;
    setKept(store, topic, kept);
  }
  return false;
}

function setKept(store: Store, topic: string, kept: readonly KeptPublication[]): void {
  const before = store.signals.kept.get(topic) ?? [];
  put(store, topic, [...kept]);
  store.changes?.others.push(["kept", topic]);
  store.journal?.push(() => {
    put(store, topic, before);
  });
}

function put({ signals }: Store, topic: string, kept: KeptPublication[]): void {
  if (kept.length === 0) signals.kept.delete(topic);
  else signals.kept.set(topic, kept);
}
