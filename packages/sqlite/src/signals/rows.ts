import type { Publication, SentSignal, SignalRows, StoredSignal } from "chainwright/adapter";
import type { ChainRow, JobRow } from "../rows/job-row.ts";
import { extrasIn, signalled } from "../rows/extras.ts";
import { receivedOf, waitOf } from "../result-rows.ts";
import { selectJobRows } from "../rows/job-row.ts";
import type { Store } from "../store.ts";
import { createSignalTriggers } from "./triggers.ts";
import { storedReceived } from "./wait.ts";

type WaitRow = Required<Pick<JobRow, "waits" | "received" | "is_waiting">>;

interface SignalRow {
  readonly position: number;
  readonly name: string;
  readonly payload: string;
  readonly signal_id: string | null;
  readonly context: string | null;
  readonly at: number;
}

interface PublicationRow extends SignalRow {
  readonly type_name: string;
  readonly signal_id: string;
}

/** Buffered signals in one read: most waits take one, some a few. */
const batch = 32;

function signalStatementsOf({ tables: t, sql }: Store) {
  const signal = "position, name, payload, signal_id, context, at";
  return {
    wait: sql<WaitRow>(
      `select j.waits, j.received, o.waits as is_waiting
       from ${t.job} j left join ${t.openJob} o on o.job = j.seq where j.seq = ?`,
    ),
    count: sql<{ count: number }>(`select count(*) as count from ${t.signal} where chain = ? and taken_by is null`),
    untaken: sql<SignalRow>(
      `select ${signal} from ${t.signal} where chain = ? and type_name = ? and taken_by is null and position > ?
       order by position limit ?`,
    ),
    add: sql<{ position: number }>(
      `insert into ${t.signal} (chain, position, taken_by, type_name, name, payload, signal_id, context, at)
       values (?, (select coalesce(max(position), 0) + 1 from ${t.signal} where chain = ?), ?, ?, ?, ?, ?, ?, ?)
       on conflict (chain, signal_id) where signal_id is not null do nothing returning position`,
    ),
    byId: sql<{ position: number }>(`select position from ${t.signal} where chain = ? and signal_id = ?`),
    take: sql(`update ${t.signal} set taken_by = ? where chain = ? and position in (select value from json_each(?))`),
    setFirst: sql(`update ${t.job} set received = ?, extras = coalesce(extras, 0) | ? where seq = ?`),
    setReceived: sql(`update ${t.job} set received = ? where seq = ?`),
    waiters: sql<JobRow>(
      `${selectJobRows(t)} where j.seq in (select job from ${t.topic} where topic = ?) and j.type_name = ? and o.waits is not null
       order by j.id`,
    ),
    kept: sql<PublicationRow>(
      `select ${signal}, type_name from ${t.topicSignal} where topic = ? and type_name = ? and until > ? order by position`,
    ),
    keep: sql(
      `insert into ${t.topicSignal} (topic, type_name, name, payload, signal_id, context, at, until) values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/** Stores signals that arrive. */
function createArrivals(
  store: Store,
  { add: insert, setFirst, setReceived }: ReturnType<typeof signalStatementsOf>,
): Pick<SignalRows<JobRow, ChainRow>, "addSignal" | "receive"> {
  const extras = extrasIn(store);
  const prepareSignals = createSignalTriggers(store);
  const add = (
    { seq }: ChainRow,
    { typeName, signal, payload, signalId, context }: SentSignal,
    { at, takenBy }: { readonly at: number; readonly takenBy: number | null },
  ): number | undefined => {
    const written = [typeName, signal, payload, signalId ?? null, context ?? null, at] as const;
    return insert.get(seq, seq, takenBy, ...written)?.position;
  };
  /** The first signal of a chain: its first row mostly is that of the job. */
  const noteFirst = (job: Pick<JobRow, "seq" | "chain">, received: string): void => {
    if (job.seq === job.chain) {
      setFirst.run(received, signalled, job.seq);
      extras.remember(job.chain, signalled);
    } else {
      setReceived.run(received, job.seq);
      extras.add(job.chain, signalled);
    }
  };
  return {
    addSignal: (chain, sent, at) => {
      prepareSignals();
      if (!extras.isNoted(chain, signalled)) extras.add(chain.seq, signalled);
      return add(chain, sent, { at, takenBy: null });
    },
    // The triggers are there since the job waits.
    receive: ({ seq }, chain, sent, { at, received }) => {
      if (add(chain, sent, { at, takenBy: seq }) === undefined) return false;
      if (extras.isNoted(chain, signalled)) setReceived.run(storedReceived(received), seq);
      else noteFirst({ seq, chain: chain.seq }, storedReceived(received));
      return true;
    },
  };
}

/** What the rules read and write about signals. */
export function createSignalRows(store: Store): SignalRows<JobRow, ChainRow> {
  const statements = signalStatementsOf(store);
  const extras = extrasIn(store);
  return {
    waitOf: ({ seq, waits, received, is_waiting }) => {
      if (waits === null) return undefined;
      const isRead = waits !== undefined && received !== undefined && is_waiting !== undefined;
      const row = isRead ? { waits, received, is_waiting } : statements.wait.get(seq);
      const json = row?.waits ?? null;
      if (row === undefined || json === null) return undefined;
      return { ...waitOf(json), isWaiting: row.is_waiting !== null, received: receivedOf(row.received ?? null) };
    },
    hasSignal: ({ seq }, id) => id !== undefined && statements.byId.get(seq, id) !== undefined,
    countUntaken: (chain) => (extras.mayHave(chain, signalled) ? (statements.count.get(chain.seq)?.count ?? 0) : 0),
    untaken: function* ({ seq }, typeName) {
      for (let after = 0, isLast = false; !isLast;) {
        const page = statements.untaken.all(seq, typeName, after, batch);
        for (const row of page) yield storedSignal(row);
        isLast = page.length < batch;
        after = page.at(-1)?.position ?? after;
      }
    },
    waitersOf: (topic, typeName) => statements.waiters.all(topic, typeName),
    keptFor: (topic, typeName, now) => statements.kept.all(topic, typeName, now).map(publication),
    ...createArrivals(store, statements),
    take: ({ seq, chain }, positions, received) => {
      statements.take.run(seq, chain, JSON.stringify(positions));
      statements.setReceived.run(storedReceived(received), seq);
    },
    keep: (topic, { typeName, signal, payload, signalId, context, at }, until) =>
      void statements.keep.run(topic, typeName, signal, payload, signalId, context ?? null, at, until),
  };
}

function storedSignal(row: SignalRow): StoredSignal {
  const { position, name, payload, signal_id: signalId, context, at } = row;
  return { position, signal: name, payload, signalId: signalId ?? undefined, context: context ?? undefined, at };
}

function publication(row: PublicationRow): Publication {
  const { type_name: typeName, name, payload, signal_id: signalId, context, at } = row;
  return { typeName, signal: name, payload, signalId, context: context ?? undefined, at };
}
