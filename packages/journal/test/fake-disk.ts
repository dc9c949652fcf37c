import type { Disk, DiskFile } from "../src/disk.ts";

/** What was done to a disk, and what was acknowledged in between. */
export type DiskStep =
  | { readonly kind: "write"; readonly file: number; readonly at: number; readonly data: Buffer }
  | { readonly kind: "truncate"; readonly file: number; readonly size: number }
  | { readonly kind: "sync"; readonly file: number; readonly isInThread?: true }
  | { readonly kind: "create"; readonly name: string; readonly file: number }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "sync-folder" }
  | { readonly kind: "acknowledged"; readonly id: string };

export interface FakeDisk extends Disk {
  readonly steps: DiskStep[];
  /** The content of each name now. */
  readonly files: () => ReadonlyMap<string, Buffer>;
}

/** Called before each step that changes something; it may throw, and an "ignored" one is reported as done. */
export type Fault = (kind: DiskStep["kind"], step: number) => void;

/** A disk in memory that records every step. `syncMs`: how long a sync takes that does not hold the event loop; default: one turn of it. */
export function createFakeDisk(
  begin: ReadonlyMap<string, Buffer> = new Map(),
  fault: Fault = () => {},
  syncMs?: number,
): FakeDisk {
  const steps: DiskStep[] = [];
  const contents: Buffer[] = [];
  const names = new Map<string, number>();
  const add = (content: Buffer): number => contents.push(content) - 1;
  for (const [name, content] of begin) {
    const file = add(content);
    names.set(name, file);
    steps.push({ kind: "create", name, file }, { kind: "write", file, at: 0, data: content }, { kind: "sync", file });
  }
  steps.push({ kind: "sync-folder" });
  let count = 0;
  const record = (step: DiskStep): void => {
    count += 1;
    fault(step.kind, count);
    steps.push(step);
  };
  const numberOf = (name: string): number => {
    const file = names.get(name);
    if (file === undefined) throw Object.assign(new Error(`there is no ${name}`), { code: "ENOENT" });
    return file;
  };
  const wait = () =>
    new Promise<unknown>((resolve) => (syncMs === undefined ? setImmediate(resolve) : setTimeout(resolve, syncMs)));
  const toFile = (file: number) => fileOf(contents, file, { record, wait });
  return {
    steps,
    files: () => new Map([...names].map(([name, file]) => [name, contents[file] ?? Buffer.alloc(0)])),
    list: async () => [...names.keys()],
    open: async (name) => toFile(numberOf(name)),
    create: async (name) => {
      const known = names.get(name);
      const file = known ?? add(Buffer.alloc(0));
      record(known === undefined ? { kind: "create", name, file } : { kind: "truncate", file, size: 0 });
      contents[file] = Buffer.alloc(0);
      names.set(name, file);
      return toFile(file);
    },
    rename: async (from, to) => {
      record({ kind: "rename", from, to });
      names.set(to, numberOf(from));
      names.delete(from);
    },
    remove: async (name) => {
      record({ kind: "remove", name });
      names.delete(name);
    },
    syncFolder: async () => record({ kind: "sync-folder" }),
  };
}

function fileOf(
  contents: Buffer[],
  file: number,
  { record, wait }: { readonly record: (step: DiskStep) => void; readonly wait: () => Promise<unknown> },
): DiskFile {
  return {
    size: async () => contents[file]?.length ?? 0,
    read: async (length, at) => Buffer.from((contents[file] ?? Buffer.alloc(0)).subarray(at, at + length)),
    write: (data, at) => {
      record({ kind: "write", file, at, data: Buffer.from(data) });
      contents[file] = written(contents[file] ?? Buffer.alloc(0), Buffer.from(data), at);
    },
    truncate: async (size) => {
      record({ kind: "truncate", file, size });
      contents[file] = Buffer.from((contents[file] ?? Buffer.alloc(0)).subarray(0, size));
    },
    sync: async () => {
      await wait();
      record({ kind: "sync", file });
    },
    syncNow: () => {
      record({ kind: "sync", file, isInThread: true });
    },
    close: async () => {},
  };
}

function written(content: Buffer, data: Buffer, at: number): Buffer {
  const larger = Buffer.alloc(Math.max(content.length, at + data.length));
  content.copy(larger);
  data.copy(larger, at);
  return larger;
}

/** Whether something that was not synced is on the disk all the same. */
export type Survives = () => boolean;

const blockBytes = 512;

/** What is on the disk when the power fails after these steps. */
export function afterPowerLoss(steps: readonly DiskStep[], survives: Survives): ReadonlyMap<string, Buffer> {
  const lastSync = new Map<number | "folder", number>();
  steps.forEach((step, index) => {
    if (step.kind === "sync") lastSync.set(step.file, index);
    if (step.kind === "sync-folder") lastSync.set("folder", index);
  });
  const isSafe = (of: number | "folder", index: number) => index < (lastSync.get(of) ?? -1);
  const contents = new Map<number, Buffer>();
  const names = new Map<string, number>();
  const inMemory = new Map<string, number>();
  steps.forEach((step, index) => {
    switch (step.kind) {
      case "write":
        for (let from = 0; from < step.data.length; from += blockBytes) {
          if (!isSafe(step.file, index) && !survives()) continue;
          const block = step.data.subarray(from, from + blockBytes);
          contents.set(step.file, written(contents.get(step.file) ?? Buffer.alloc(0), block, step.at + from));
        }
        return;
      case "truncate":
        if (isSafe(step.file, index) || survives())
          contents.set(step.file, Buffer.from((contents.get(step.file) ?? Buffer.alloc(0)).subarray(0, step.size)));
        return;
      case "create":
        inMemory.set(step.name, step.file);
        if (isSafe("folder", index) || survives()) names.set(step.name, step.file);
        return;
      case "rename": {
        const file = inMemory.get(step.from);
        inMemory.delete(step.from);
        if (file === undefined) return;
        inMemory.set(step.to, file);
        if (!isSafe("folder", index) && !survives()) return;
        names.delete(step.from);
        names.set(step.to, file);
        return;
      }
      case "remove":
        inMemory.delete(step.name);
        if (isSafe("folder", index) || survives()) names.delete(step.name);
        return;
      default:
    }
  });
  return new Map([...names].map(([name, file]) => [name, contents.get(file) ?? Buffer.alloc(0)]));
}

/** What is there when only the process ends. */
export function afterKill(steps: readonly DiskStep[]): ReadonlyMap<string, Buffer> {
  return afterPowerLoss(steps, () => true);
}
