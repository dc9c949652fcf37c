import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { green, red, yellow, type Finding } from "./finding.ts";

const largeWalBytes = 64 * 1_048_576;
/** The types of file systems over a network, as Linux numbers them: NFS, SMB, CIFS, SMB2, AFS, Ceph. */
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400]);

/** Looks at the file. */
export async function diagnoseSqlite(
  file: string,
  { isDeep }: { readonly isDeep: boolean },
): Promise<readonly Finding[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const mode = String(database.prepare("pragma journal_mode").get()?.["journal_mode"]);
    const faults = database
      .prepare(isDeep ? "pragma integrity_check(3)" : "pragma schema_version")
      .all()
      .map((row) => String(row["integrity_check"] ?? "ok"))
      .filter((line) => line !== "ok");
    return [
      ...faults.map((fault) =>
        red("integrity", fault, "restore the file from a backup, then run `chainwright doctor --deep` again"),
      ),
      ...(mode === "wal"
        ? [green("durability", "journal_mode is wal: a crash of the process loses nothing that was confirmed")]
        : [
            yellow(
              "durability",
              `journal_mode is ${mode}: readers and writers wait for each other`,
              "`chainwright migrate` sets it to wal",
            ),
          ]),
      ...(await networkFolder(file)),
      ...largeWal(file),
    ];
  } finally {
    database.close();
  }
}

async function networkFolder(file: string): Promise<readonly Finding[]> {
  const { type } = await statfs(dirname(file));
  if (process.platform !== "linux" || !networkTypes.has(type)) return [];
  return [red("folder", "the file is in a network folder, whose locks SQLite cannot trust", "move it to a local disk")];
}

function largeWal(file: string): readonly Finding[] {
  const wal = `${file}-wal`;
  const bytes = existsSync(wal) ? statSync(wal).size : 0;
  if (bytes <= largeWalBytes) return [];
  const problem = `the write-ahead log has ${Math.round(bytes / 1_048_576)} MB: a reader that does not end keeps it from being emptied`;
  return [yellow("wal", problem, "end long reads; then the next checkpoint empties it")];
}
