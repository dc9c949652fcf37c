/** The writes to one file, as `fixtures/record-writes.c` recorded them. */
export interface DiskRecord {
  readonly kind: "write" | "sync" | "truncate" | "unlink";
  readonly name: string;
  /** Where it writes, or the size that it truncates to. */
  readonly offset: number;
  readonly data: Buffer;
}

const kinds = { w: "write", s: "sync", t: "truncate", u: "unlink" } as const;

export function readDiskLog(log: Buffer): readonly DiskRecord[] {
  const records: DiskRecord[] = [];
  for (let at = 0; at < log.length;) {
    const kind = String.fromCharCode(log[at] ?? 0);
    if (!(kind in kinds)) throw new Error(`no record begins at ${at}`);
    const nameEnd = at + 15 + log.readUInt16LE(at + 1);
    const dataEnd = nameEnd + log.readUInt32LE(at + 11);
    records.push({
      kind: kinds[kind as keyof typeof kinds],
      name: log.toString("utf8", at + 15, nameEnd),
      offset: Number(log.readBigUInt64LE(at + 3)),
      data: log.subarray(nameEnd, dataEnd),
    });
    at = dataEnd;
  }
  return records;
}

/** How much of a write that was not synced reaches the disk nevertheless: none of it, a part, or all. */
export type Survival = (bytes: number) => number;

/** The files that are on the disk when the power goes after these records. */
export function afterPowerLoss(records: readonly DiskRecord[], survival: Survival): ReadonlyMap<string, Buffer> {
  const lastSync = new Map<string, number>();
  records.forEach((record, index) => {
    if (record.kind === "sync") lastSync.set(record.name, index);
  });
  const files = new Map<string, DiskFile>();
  records.forEach(({ kind, name, offset, data }, index) => {
    const isKept = index < (lastSync.get(name) ?? -1);
    if (kind === "unlink") files.delete(name);
    else if (kind === "sync") return;
    else {
      const file = files.get(name) ?? { content: Buffer.alloc(0), size: 0 };
      files.set(name, file);
      if (kind === "truncate") truncate(file, offset);
      else overwrite(file, offset, isKept ? data : data.subarray(0, survival(data.length)));
    }
  });
  return new Map([...files].map(([name, { content, size }]) => [name, content.subarray(0, size)]));
}

/** What is beyond its size are zeros. */
interface DiskFile {
  content: Buffer;
  size: number;
}

function truncate(file: DiskFile, size: number): void {
  file.content.fill(0, size);
  file.size = size;
}

function overwrite(file: DiskFile, offset: number, data: Buffer): void {
  if (data.length === 0) return;
  const end = offset + data.length;
  if (end > file.content.length) {
    const larger = Buffer.alloc(2 * end);
    file.content.copy(larger);
    file.content = larger;
  }
  data.copy(file.content, offset);
  file.size = Math.max(file.size, end);
}
