import {
  checkId,
  checkInteger,
  checkKeys,
  given,
  invalid,
  isList,
  show,
  type OptionKeys,
} from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { NotesRecord } from "../model/note.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { JobNotes, ListNotesOptions } from "../types/note-calls.ts";
import { lineView, notedView } from "./note-views.ts";

const listKeys = { items: true, limit: true, order: true, memos: true, tx: true } satisfies OptionKeys;
const itemKeys = { id: true, cursor: true } satisfies OptionKeys;
const orders = { oldest: "ascending", newest: "descending" } as const;
const defaultSize = 50;
const mostItems = 1_000;

/** What the handlers of jobs have noted. It asks for one line more, which shows whether another page follows. */
export async function listNotes(
  { state, callOptions }: StoreAccess,
  options: ListNotesOptions & InTransaction<unknown>,
): Promise<readonly (JobNotes | undefined)[]> {
  checkKeys(given(options, "listNotes"), listKeys, "listNotes");
  const limit = checkInteger(options.limit ?? defaultSize, "limit", { min: 0, max: 1_000 });
  const order = checkOrder(options.order ?? "oldest");
  const items = checkItems(options.items);
  const lines = limit === 0 ? 0 : limit + 1;
  const query = { items, lines, order, memos: options.memos === true ? "all" : "none" } as const;
  const records = await state.listNotes(query, callOptions(options.tx));
  return records.map((record) => record && notesView(record, limit));
}

function notesView({ jobId, checkpoint, progress, memos, lines }: NotesRecord, limit: number): JobNotes {
  const page = lines.slice(0, limit);
  const last = lines.length > limit ? page.at(-1) : undefined;
  return {
    id: jobId,
    checkpoint: checkpoint && notedView(checkpoint),
    progress: progress && notedView(progress),
    memos: memos
      .map((memo) => ({ name: memo.name, ...notedView(memo) }))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    lines: page.map(lineView),
    nextCursor: last && String(last.seq),
  };
}

function checkItems(items: unknown): readonly { readonly jobId: string; readonly after: number | undefined }[] {
  if (!isList(items)) throw invalid(`items of listNotes must be an array of { id }; got ${show(items)}.`);
  if (items.length > mostItems)
    throw invalid(`items of listNotes must name at most ${mostItems} jobs; got ${items.length}.`);
  return items.map((item, index) => {
    if (typeof item !== "object" || item === null) throw invalid(`items[${index}] must be { id }; got ${show(item)}.`);
    checkKeys(item, itemKeys, `items[${index}]`);
    const { id, cursor }: { readonly id?: unknown; readonly cursor?: unknown } = item;
    return { jobId: checkId(id, `items[${index}].id`), after: cursor === undefined ? undefined : checkCursor(cursor) };
  });
}

function checkOrder(order: unknown): "ascending" | "descending" {
  if (order === "oldest" || order === "newest") return orders[order];
  throw invalid(`order must be "oldest" or "newest"; got ${show(order)}.`);
}

function checkCursor(cursor: unknown): number {
  if (typeof cursor === "string" && /^\d{1,16}$/.test(cursor)) return Number(cursor);
  throw invalid(`cursor must be the nextCursor of a page of listNotes; got ${show(cursor)}.`);
}
