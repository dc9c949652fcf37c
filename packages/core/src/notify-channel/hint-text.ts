import type { Hint } from "../ports/notify.ts";

/** Text that does not begin so was written by somebody else, or by a version to come. */
const version = "cw1";
/** One word a hint, its kind first; JSON around it, so that a name may hold anything. */
const kinds = { ready: "r", ended: "e", interrupt: "i", taken: "t", left: "l" } as const;

export interface Message {
  readonly sender: string;
  hints(): readonly Hint[];
}

/** A message without hints: it only shows that messages arrive. */
export function pingText(sender: string): string {
  return `${version} ${sender} []`;
}

/** As many messages as it takes for none to be longer than the broker carries. */
export function hintTexts(sender: string, hints: readonly Hint[], maxLength: number): readonly string[] {
  const head = `${version} ${sender} [`;
  const texts: string[] = [];
  let body = "";
  for (const hint of hints) {
    const word = asciiJson(wordOf(hint));
    // A hint that fits in no message is dropped: whoever would have come looks by itself before long.
    if (head.length + word.length + 1 > maxLength) continue;
    if (body !== "" && head.length + body.length + word.length + 2 > maxLength) {
      texts.push(`${head}${body}]`);
      body = "";
    }
    body += body === "" ? word : `,${word}`;
  }
  if (body !== "") texts.push(`${head}${body}]`);
  return texts;
}

/** Undefined for what is no message of this version. */
export function readMessage(text: string): Message | undefined {
  const [tag, sender] = text.slice(0, 64).split(" ", 3);
  if (tag !== version || sender === undefined || sender === "") return undefined;
  return { sender, hints: () => readHints(text.slice(version.length + sender.length + 2)) };
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
      return { kind: "left", workerId: said };
    case kinds.ended:
      return { kind: "ended", chainId: said };
    case kinds.interrupt:
      return { kind: "interrupt", jobId: said };
    default:
      return undefined;
  }
}

function readyHint(said: string): Hint | undefined {
  const found = /^(\d{1,15})(?:\.(\d{1,10}))? (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, draw, typeName = ""] = found;
  if (Number(count) === 0) return undefined;
  const hint = { kind: "ready", typeName, count: Number(count) } as const;
  return draw === undefined ? hint : { ...hint, draw: Number(draw) };
}

function takenHint(said: string): Hint | undefined {
  const found = /^(\d{1,15}) (\S+) (.*)$/s.exec(said);
  if (found === null) return undefined;
  const [, count, workerId = "", typeName = ""] = found;
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
