import type { Mutant } from "../mutant.ts";

/** Keep what a journal has acknowledged from being lost, and a damaged or foreign folder from being opened. */
export const journalMutants: readonly Mutant[] = [
  {
    name: "journal: at full a call returns after the sync",
    in: "journal:write",
    find: "if (intervalMs === undefined) return sync(state);",
    replace: "if (intervalMs === undefined) return;",
  },
  {
    name: "journal: a call waits for what it has seen",
    in: "journal:createWriter",
    find: "(waiting ?? underWay)?.done.promise",
    replace: "waiting?.done.promise",
  },
  {
    name: "journal: a failure rejects the calls that wait",
    in: "journal:fail",
    find: "for (const waits of [state.underWay?.done, state.waiting?.done, state.cutting]) waits?.reject(state.failure);",
    replace: "",
  },
  {
    name: "journal: the checksum of a record counts",
    in: "journal:readHead",
    find: "if (checksum(data, at, length) !== data.readUInt32LE(at + 4)) return undefined;",
    replace: "",
  },
  {
    name: "journal: sequences rise by one",
    in: "journal:readRecords",
    find: "head?.sequence === expected",
    replace: "head !== undefined",
  },
  {
    name: "journal: nothing is cut from an earlier segment",
    in: "journal:refuseDamage",
    find: "if (!isLast) throw damaged(name, end, why);",
    replace: "",
  },
  {
    name: "journal: nothing is cut before a record that knows it was on the disk",
    in: "journal:refuseDamage",
    find: "if (synced > sequence)",
    replace: "if (synced < 0)",
  },
  {
    name: "journal: a tail is cut for good",
    in: "journal:cutTail",
    find: "await file.truncate(tail.at);",
    replace: "",
  },
  {
    name: "journal: a segment is synced before the next one",
    in: "journal:createSegments",
    find: "if (synced < sequence) await sync();",
    replace: "",
  },
  {
    name: "journal: CURRENT is synced before it is renamed",
    in: "journal:writeCurrent",
    find: "await file.sync();",
    replace: "",
  },
  {
    name: "journal: the folder is synced after CURRENT was renamed",
    in: "journal:writeCurrent",
    find: "await disk.syncFolder();",
    replace: "",
  },
  {
    name: "journal: old files are deleted after CURRENT",
    in: "journal:takeSnapshot",
    find: "await writeCurrent(disk, next); await removeOld(disk, next);",
    replace: "await removeOld(disk, next); await writeCurrent(disk, next);",
  },
  {
    name: "journal: a snapshot is synced",
    in: "journal:writeContent",
    find: "write(endText(rows)); await file.sync();",
    replace: "write(endText(rows));",
  },
  {
    name: "journal: what a snapshot has seen is on the disk before it counts",
    in: "journal:takeSnapshot",
    find: "await writer.flush();",
    replace: "",
  },
  {
    name: "journal: a snapshot has its end",
    in: "journal:readSnapshot",
    find: 'throw damaged(name, end, "a record is not what was written, or is missing");',
    replace: "",
  },
  {
    name: "journal: a file names its store",
    in: "journal:fileHeader",
    find: 'header.write(storeId.replaceAll("-", ""), 12, "hex");',
    replace: "",
  },
  {
    name: "journal: a process that has lost its folder writes no snapshot",
    in: "journal:checkEpoch",
    find: "if (found?.epoch !== epoch)",
    replace: "if (found === undefined)",
  },
  {
    name: "journal: a folder belongs to one process",
    in: "journal:takeFolder",
    find: "if (last.owner !== undefined && (await mayHave(last.owner, own))) throw inUse(folder, last.owner);",
    replace: "",
  },
  {
    name: "journal: a process from before the machine started has no folder",
    in: "journal:isRunning",
    find: "named.bootId === undefined || own.bootId === undefined ? undefined : false",
    replace: "undefined",
  },
  {
    name: "journal: a process with an id of an earlier one is another",
    in: "journal:isRunning",
    find: "&& stat.startedAt === named.startedAt",
    replace: "",
  },
  {
    name: "journal: who reads a folder reads again what a snapshot has replaced",
    in: "journal:readSettled",
    find: "if (before === after || (before !== undefined && after?.equals(before) === true)) throw error;",
    replace: "if (before !== undefined || after !== undefined) throw error;",
  },
  {
    name: "journal: a file that is written is read up to where it ended",
    in: "journal:openDiskToRead",
    find: "Math.max(0, Math.min(length, size - at))",
    replace: "length",
  },
  {
    name: "journal: a salvage reads past damage",
    in: "journal:scanRecords",
    find: "at += 1; continue;",
    replace: "return;",
  },
  {
    name: "journal: a salvage names records that are missing",
    in: "journal:take",
    find: "if (record.at > end) lose(",
    replace: "if (record.at < end) lose(",
  },
];
