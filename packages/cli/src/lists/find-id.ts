import { Refusal } from "../usage-error.ts";
import { pagesOf, type ReadPage } from "./walk.ts";

/** An id may be cut to so many characters; shorter ones would rarely be unique. */
const fewestCharacters = 8;
const wholeLength = 36;
/** A cut id is looked for among so many of the newest. */
const mostRead = 2_000;

/** The whole id of one that may be cut, for a command that only reads. */
export async function findId(start: string, noun: string, read: ReadPage<{ readonly id: string }>): Promise<string> {
  if (start.length === wholeLength) return start;
  if (start.length < fewestCharacters)
    throw new Refusal(`${noun}-not-found`, `an id has at least ${fewestCharacters} characters; got ${start}`);
  const found: string[] = [];
  for await (const page of pagesOf(read, mostRead, 1_000))
    found.push(...page.map(({ id }) => id).filter((id) => id.startsWith(start)));
  const [first, second] = found;
  if (first === undefined) throw notFound(noun, start);
  if (second !== undefined)
    throw new Refusal(
      "id-not-unique",
      `${found.length} ids begin with ${start}: ${found.slice(0, 5).join(", ")}; give more characters`,
    );
  return first;
}

export function notFound(noun: string, id: string): Refusal {
  return new Refusal(`${noun}-not-found`, `there is no ${noun} ${id}`);
}
