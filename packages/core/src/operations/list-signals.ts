import { checkId, checkInteger, checkKeys, given, invalid, show, type OptionKeys } from "../checks/check-options.ts";
import { parse } from "../checks/json.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { SignalRecord } from "../model/signal.ts";
import type { InTransaction, Page } from "../types/list-options.ts";
import type { ListSignalsOptions } from "../types/signal-calls.ts";
import type { StoredSignalInfo } from "../types/signals.ts";
import { pageOf } from "./pages.ts";

const listKeys = { id: true, cursor: true, limit: true, tx: true } satisfies OptionKeys;
const defaultSize = 50;

/** The signals of a chain. It asks for one more, which shows whether another page follows. */
export async function listSignals(
  { state, callOptions }: StoreAccess,
  options: ListSignalsOptions & InTransaction<unknown>,
): Promise<Page<StoredSignalInfo>> {
  checkKeys(given(options, "listSignals"), listKeys, "listSignals");
  const chainId = checkId(options.id, "id");
  const limit = checkInteger(options.limit ?? defaultSize, "limit", { min: 1, max: 1_000 });
  const after = options.cursor === undefined ? undefined : checkCursor(options.cursor);
  const rows = await state.listSignals({ chainId, after, limit: limit + 1 }, callOptions(options.tx));
  return pageOf(rows, limit, signalView, ({ position }) => String(position));
}

function checkCursor(cursor: unknown): number {
  if (typeof cursor === "string" && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw invalid(`cursor must be the nextCursor of a page of listSignals; got ${show(cursor)}.`);
}

function signalView({ position, typeName, signal, payload, signalId, at, takenBy }: SignalRecord): StoredSignalInfo {
  return { position, typeName, signal, payload: parse(payload), signalId, at: new Date(at), takenBy };
}
