import type { Hint } from "../ports/notify.ts";

/** Text that does not begin so was written by somebody else, or by a version to come. */
const version = "cw1";
/** One word a hint, its kind first; JSON around it, so that a name may hold anything. */
const kinds = { ready: "r", ended: "e", interrupt: "i" } as const;

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
  if (hint.kind === "ready") return `${kinds.ready}${hint.count} ${hint.typeName}`;
  return hint.kind === "ended" ? `${kinds.ended}${hint.chainId}` : `${kinds.interrupt}${hint.jobId}`;
}

function hintOf(word: unknown): Hint | undefined {
  if (typeof word !== "string") return undefined;
  const said = word.slice(1);
  switch (word[0]) {
    case kinds.ready:
      return readyHint(said);
    case kinds.ended:
      return { kind: "ended", chainId: said };
    case kinds.interrupt:
      return { kind: "interrupt", jobId: said };
    default:
      return undefined;
  }
}

function readyHint(said: string): Hint | undefined {
  const space = said.indexOf(" ");
  const count = Number(said.slice(0, Math.max(space, 0)));
  if (!Number.isSafeInteger(count) || count < 1) return undefined;
  return { kind: "ready", typeName: said.slice(space + 1), count };
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
