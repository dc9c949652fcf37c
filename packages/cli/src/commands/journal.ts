import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { counted } from "../text/numbers.ts";
import { Refusal, UsageError } from "../usage-error.ts";

export function addJournal(program: CommandUnknownOpts, perform: Perform): void {
  const journal = program
    .command("journal")
    .description("Verify and copy the folder of a journal, also while a process uses it.");
  journal
    .command("verify")
    .description("Read a journal from its beginning to its end, and change nothing.")
    .argument("<folder>", "the folder of the journal")
    .action(async (folder) => await perform(async (call) => await verify(call, folder)));
  journal
    .command("dump")
    .description("Write what a journal holds to a new folder, which a store can be opened from.")
    .argument("<folder>", "the folder of the journal; nothing in it is changed")
    .option("--to <folder>", "a new folder for a backup; a damaged journal is refused")
    .option("--salvage <folder>", "a new folder for what is readable of a damaged journal")
    .action(async (folder, options) => await perform(async (call) => await dump(call, folder, options)));
}

async function verify({ surroundings, out }: Call, folder: string): Promise<number> {
  const journal = existing(surroundings.folder, folder);
  const { verifyJournal } = await import("@chainwright/journal");
  const { ok, storeId, rows, bytes, tail, damage } = await verifyJournal({ folder: journal });
  out.facts(
    [
      ["result", ok ? "undamaged" : "damaged", ok ? "green" : "red"],
      ["store", storeId],
      ["rows read", rows],
      ["bytes read", bytes],
      ["never acknowledged", tail && `${counted(tail.bytes, "byte")} at byte ${tail.at} of ${tail.file}`],
      ["damage", damage && `byte ${damage.at} of ${damage.file}`],
    ],
    { ok, storeId, rows, bytes, tail, damage },
  );
  if (!ok) out.note(`Restore a backup, or write what is readable: chainwright journal dump ${folder} --salvage NEW`);
  return ok ? 0 : 1;
}

interface DumpOptions {
  readonly to?: string | undefined;
  readonly salvage?: string | undefined;
}

async function dump({ surroundings, out }: Call, from: string, { to, salvage }: DumpOptions): Promise<number> {
  const target = to ?? salvage;
  if (target === undefined || (to !== undefined && salvage !== undefined))
    throw new UsageError("name one new folder: --to FOLDER for a backup, or --salvage FOLDER for what is readable");
  const folder = existing(surroundings.folder, from);
  const copy = resolve(surroundings.folder, target);
  const { dumpJournal } = await import("@chainwright/journal");
  const { rows, lost } = await dumpJournal({ folder, to: copy, salvage: salvage !== undefined });
  out.line(`${copy}: ${counted(rows, "row")}`, { folder: copy, rows, lost });
  for (const { file, at, bytes, why } of lost)
    out.note(`left out ${counted(bytes, "byte")} at byte ${at} of ${file}: ${why}`);
  return 0;
}

/** The path of a journal that is there: a command that reads must not create its folder. */
function existing(from: string, folder: string): string {
  const path = resolve(from, folder);
  if (!existsSync(path)) throw new Refusal("no-file", `there is no folder ${path}`);
  return path;
}
