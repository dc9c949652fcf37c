/** A text of which only the beginning is shown. */
interface CutText {
  readonly text: string;
  readonly isCut: true;
  /** The size of the whole. */
  readonly bytes: number;
}

const utf8 = new TextEncoder();
const moment = /^(now|at|searchedTo|waitsUntil|leasedUntil|until|\w+At)$/;
const longestName = 200;

/** A view with its texts cut at so many bytes, and its times as ISO 8601. */
export function shown(view: unknown, mostBytes: number): unknown {
  if (typeof view === "string") return cut(view, mostBytes);
  if (Array.isArray(view)) return view.map((each) => shown(each, mostBytes));
  if (typeof view !== "object" || view === null) return view;
  if (view instanceof Date) return view.toISOString();
  if (isPayload(view)) return payload(view, mostBytes);
  return Object.fromEntries(
    Object.entries(view).map(([name, value]) => [
      name.slice(0, longestName).toWellFormed(),
      typeof value === "number" && moment.test(name) ? timeOf(value) : shown(value, mostBytes),
    ]),
  );
}

/** A payload as the dashboard's views have it. Its own times and texts stay as they are, up to the size. */
function payload(view: { readonly value: unknown; readonly bytes: number }, mostBytes: number): unknown {
  const { value, bytes } = view;
  if (bytes <= mostBytes) return view;
  return { kind: "cut", ...beginning(JSON.stringify(value), mostBytes), bytes };
}

function cut(text: string, mostBytes: number): string | CutText {
  const bytes = Buffer.byteLength(text);
  return bytes <= mostBytes ? text : { ...beginning(text, mostBytes), bytes };
}

/** The first bytes of a text, up to the end of a character. */
function beginning(text: string, mostBytes: number): Omit<CutText, "bytes"> {
  const { read } = utf8.encodeInto(text, new Uint8Array(mostBytes));
  return { text: text.slice(0, read), isCut: true };
}

function isPayload(view: object): view is { kind: "value"; value: unknown; bytes: number } {
  return "kind" in view && view.kind === "value" && "value" in view && "bytes" in view;
}

/** A time that a date cannot hold stays a number. */
export function timeOf(ms: number): string | number {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? ms : date.toISOString();
}
