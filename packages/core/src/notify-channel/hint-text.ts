import type { Hint, HintMessage } from "../ports/notify.ts";

/*
 * A message is a line: `cw1 STORE SENDER ["word", ...]`, one word a hint, its kind first, and JSON around it, so that a name may
 * hold anything. Every version begins with `cw`, its number, and the store.
 *
 * How versions overlap: a process reads its own version and older ones, and writes its own. A newer one it cannot read, so it looks
 * for whatever the message may have been about, at most once a second. New kinds of words need no new version: a process ignores
 * the kinds that it does not know.
 */
const version = "1";
const kinds = { ready: "r", ended: "e", interrupt: "i", taken: "t", left: "l", look: "?" } as const;
/** Stands in place of a store's id in messages that only show that messages arrive. */
const noStore = "-";
/** Version, store and sender, each bounded, so that a foreign text costs next to nothing. */
const heads = /^cw(\d{1,4}) ([\w-]{1,64}) ([\w-]{1,64}) \[/;
const newerHeads = /^cw(\d{1,4}) ([\w-]{1,64})(?: |$)/;
/** The longest head, with the bracket after it. */
const headLength = 137;

/** A text that was understood. */
export interface ReadText {
  /** Whether it is of a version that this process reads: only then does it show that hints arrive. */
  readonly isKnown: boolean;
  /** Undefined: it carries no hints. */
  readonly message: HintMessage | undefined;
}

/** A message without hints: it only shows that messages arrive. */
export function pingText(senderId: string): string {
  return `cw${version} ${noStore} ${senderId} []`;
}

/** As many texts as it takes for none to be longer than the broker carries. */
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
    // A hint that fits into no message: others look for what it is about.
    if (head.length + word.length + 1 > maxLength) isCut = true;
    else add(word);
  }
  if (isCut) add(asciiJson(kinds.look));
  if (body !== "") texts.push(`${head}${body}]`);
  return texts;
}

/** Undefined for what no adapter wrote, whatever its length: nothing but its beginning is looked at. */
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

/** Its hints are read when they are asked for, once: most messages of a shared broker are of no interest. */
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
      return `${kinds.ready}${hint.count}${hint.draw === undefined ? "" : `.${hint.draw}`} ${hint.typeName}`;
    case "taken":
      return `${kinds.taken}${hint.count} ${hint.workerId} ${hint.typeName}`;
    case "left":
      return `${kinds.left}${hint.workerId}`;
    case "ended":
      return `${kinds.ended}${hint.chainId}`;
    case "interrupt":
      return `${kinds.interrupt}${hint.jobId}`;
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
    case kinds.look:
      return { kind: "look" };
    default:
      return undefined;
  }
}

/** What the id of a worker looks like. */
const workerIds = /^[\w-]{1,64}$/;

function readyHint(said: string): Hint | undefined {
  const found = /^(\d{1,15})(?:\.(\d{1,10}))? (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, draw, typeName = ""] = found;
  if (Number(count) === 0) return undefined;
  const hint = { kind: "ready", typeName, count: Number(count) } as const;
  return draw === undefined ? hint : { ...hint, draw: Number(draw) };
}

function takenHint(said: string): Hint | undefined {
  const found = /^(\d{1,15}) (\S{1,64}) (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, workerId = "", typeName = ""] = found;
  if (!workerIds.test(workerId)) return undefined;
  return { kind: "taken", workerId, typeName, count: Number(count) };
}

/** What JSON leaves as it is, as ids and most names are: it takes half the time not to ask. */
const plain = /^[\w .:/-]*$/;

/** Escaped beyond ASCII: one character is one byte, and every encoding that a database may have can carry it. */
function asciiJson(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
