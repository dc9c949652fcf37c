import type { Hint, HintMessage } from "../ports/notify.ts";

/*
 * A message is a line: `cw1 STORE SENDER ["word", ...]`. Each word is a hint and begins with its kind. The words are JSON strings,
 * so a name may contain any character. Every version begins with `cw`, its number, and the store.
 *
 * How versions overlap: a process reads its own version and older ones, and writes its own. It cannot read a newer one, so it
 * then looks into the store, at most once a second. New kinds of words need no new version, because a process ignores the kinds
 * that it does not know.
 */
const version = "1";
const kinds = {
  ready: "r",
  ended: "e",
  interrupt: "i",
  taken: "t",
  left: "l",
  paused: "p",
  freed: "f",
  schedules: "s",
  deadline: "d",
  watched: "w",
  noted: "n",
  look: "?",
} as const;
/** Replaces a store's id in messages that only show that messages arrive. */
const noStore = "-";
/** Version, store and sender. Each has a limit, so that it costs almost nothing to reject a foreign text. */
const heads = /^cw(\d{1,4}) ([\w-]{1,64}) ([\w-]{1,64}) \[/;
const newerHeads = /^cw(\d{1,4}) ([\w-]{1,64})(?: |$)/;
/** The longest head, with the bracket after it. */
const headLength = 137;

/** The content of a text that an adapter wrote. */
export interface ReadText {
  /** Whether this process can read its version; only such a text shows that hints arrive. */
  readonly isKnown: boolean;
  /** Undefined if the text carries no hints. */
  readonly message: HintMessage | undefined;
}

/** Returns a message without hints, which only shows that messages arrive. */
export function pingText(senderId: string): string {
  return `cw${version} ${noStore} ${senderId} []`;
}

/** Returns the hints as texts that are no longer than the broker carries. */
export function hintTexts({ storeId, senderId, hints }: HintMessage, maxLength: number): readonly string[] {
  const head = `cw${version} ${storeId} ${senderId} [`;
  const texts: string[] = [];
  let body = "";
  const add = (word: string): void => {
    if (body !== "" && head.length + body.length + word.length + 2 > maxLength) {
      texts.push(`${head}${body}]`);
      body = "";
    }
    body += body === "" ? word : `,${word}`;
  };
  let isCut = false;
  for (const hint of hints) {
    const word = asciiJson(wordOf(hint));
    // A hint that fits into no message is replaced by `look`, so that other processes look into the store.
    if (head.length + word.length + 1 > maxLength) isCut = true;
    else add(word);
  }
  if (isCut) add(asciiJson(kinds.look));
  if (body !== "") texts.push(`${head}${body}]`);
  return texts;
}

/** Returns `undefined` for a text that no adapter wrote. It reads only the beginning, so the length of the text costs nothing. */
export function readText(text: string, maxLength: number): ReadText | undefined {
  if (text.length > maxLength) return undefined;
  const head = text.slice(0, headLength);
  const [found, number, storeId = "", senderId = ""] = heads.exec(head) ?? [];
  if (found === undefined || number !== version) return readNewer(head);
  if (storeId === noStore) return { isKnown: true, message: undefined };
  return { isKnown: true, message: lazyMessage(storeId, senderId, () => readHints(text.slice(found.length - 1))) };
}

function readNewer(head: string): ReadText | undefined {
  const [, number, storeId = ""] = newerHeads.exec(head) ?? [];
  if (number === undefined || Number(number) <= Number(version)) return undefined;
  return { isKnown: false, message: { storeId, senderId: "", hints: [{ kind: "look" }] } };
}

/** Parses the hints at their first use, because most messages of a shared broker are for other stores. */
function lazyMessage(storeId: string, senderId: string, read: () => readonly Hint[]): HintMessage {
  let hints: readonly Hint[] | undefined;
  return {
    storeId,
    senderId,
    get hints() {
      return (hints ??= read());
    },
  };
}

function readHints(json: string): readonly Hint[] {
  let words: unknown;
  try {
    words = JSON.parse(json);
  } catch {
    return [];
  }
  if (!Array.isArray(words)) return [];
  return words.map(hintOf).filter((hint) => hint !== undefined);
}

function wordOf(hint: Hint): string {
  switch (hint.kind) {
    case "ready":
      return `${kinds.ready}${hint.count}${hint.draw === undefined ? "" : `.${hint.draw}`}${hint.dueInMs === undefined ? "" : `+${hint.dueInMs}`} ${hint.typeName}`;
    case "taken":
      return `${kinds.taken}${hint.count} ${hint.workerId} ${hint.typeName}`;
    case "left":
      return `${kinds.left}${hint.workerId}`;
    case "ended":
      return `${kinds.ended}${hint.chainId}`;
    case "interrupt":
      return `${kinds.interrupt}${hint.jobId}`;
    case "paused":
      return `${kinds.paused}${hint.typeName}`;
    case "freed":
      return `${kinds.freed}${hint.count}.${hint.draw} ${hint.limit}`;
    case "deadline":
      return `${kinds.deadline}${Math.max(0, Math.round(hint.inMs))}`;
    case "watched":
      return `${kinds.watched}${Math.max(0, Math.round(hint.forMs))} ${hint.jobId}`;
    case "noted":
      return `${kinds.noted}${hint.jobId}`;
    case "schedules":
      return kinds.schedules;
    case "look":
      return kinds.look;
  }
}

function hintOf(word: unknown): Hint | undefined {
  if (typeof word !== "string") return undefined;
  const said = word.slice(1);
  switch (word[0]) {
    case kinds.ready:
      return readyHint(said);
    case kinds.taken:
      return takenHint(said);
    case kinds.left:
      return workerIds.test(said) ? { kind: "left", workerId: said } : undefined;
    case kinds.ended:
      return { kind: "ended", chainId: said };
    case kinds.interrupt:
      return { kind: "interrupt", jobId: said };
    case kinds.paused:
      return { kind: "paused", typeName: said };
    case kinds.freed:
      return freedHint(said);
    case kinds.deadline:
      return /^\d{1,15}$/.test(said) ? { kind: "deadline", inMs: Number(said) } : undefined;
    case kinds.watched:
      return watchedHint(said);
    case kinds.noted:
      return { kind: "noted", jobId: said };
    case kinds.schedules:
      return { kind: "schedules" };
    case kinds.look:
      return { kind: "look" };
    default:
      return undefined;
  }
}

/** The format of a worker's id. */
const workerIds = /^[\w-]{1,64}$/;

function readyHint(said: string): Hint | undefined {
  const found = /^(\d{1,15})(?:\.(\d{1,10}))?(?:\+(\d{1,10}))? (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, draw, dueInMs, typeName = ""] = found;
  if (Number(count) === 0) return undefined;
  return {
    kind: "ready",
    typeName,
    count: Number(count),
    ...(draw === undefined ? undefined : { draw: Number(draw) }),
    ...(dueInMs === undefined ? undefined : { dueInMs: Number(dueInMs) }),
  };
}

function takenHint(said: string): Hint | undefined {
  const found = /^(\d{1,15}) (\S{1,64}) (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, workerId = "", typeName = ""] = found;
  if (!workerIds.test(workerId)) return undefined;
  return { kind: "taken", workerId, typeName, count: Number(count) };
}

function watchedHint(said: string): Hint | undefined {
  const found = /^(\d{1,15}) (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, forMs, jobId = ""] = found;
  return { kind: "watched", jobId, forMs: Number(forMs) };
}

function freedHint(said: string): Hint | undefined {
  const found = /^(\d{1,15})\.(\d{1,10}) (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, draw, limit = ""] = found;
  return { kind: "freed", limit, count: Number(count), draw: Number(draw) };
}

/** Texts that JSON does not escape, such as ids and most names. To skip `JSON.stringify` for them takes half the time. */
const plain = /^[\w .:/-]*$/;

/** Escapes all characters beyond ASCII, so that one character is one byte and every encoding of a database can carry the text. */
function asciiJson(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
