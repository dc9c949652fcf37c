import { statfs } from "node:fs/promises";
import { counted } from "../text/numbers.ts";
import { green, red, yellow, type Finding } from "./finding.ts";

const littleBytes = 256 * 1_048_576;

/** Looks at the folder of a journal that this program has open; with `isDeep` it reads all of it. */
export async function diagnoseJournal(
  folder: string,
  { isDeep }: { readonly isDeep: boolean },
): Promise<readonly Finding[]> {
  return [...(isDeep ? [await integrity(folder)] : []), await space(folder)];
}

async function integrity(folder: string): Promise<Finding> {
  const { verifyJournal } = await import("@chainwright/journal");
  const { rows, damage } = await verifyJournal({ folder });
  if (damage === undefined) return green("integrity", `${counted(rows, "row")} are as they were written`);
  return red("integrity", damage.message, `\`chainwright journal verify\` says what is damaged`);
}

/** A journal that cannot be written ends its store. */
async function space(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `the disk has ${Math.round(free / 1_048_576)} MB free`;
  return free < littleBytes
    ? yellow("space", `${text}; the store ends when it is full`, "free some of it, or end chains sooner")
    : green("space", text);
}
