import { readFile, readlink } from "node:fs/promises";

/** Tells a process from every other one, also from a later one with the same id. What the system does not tell is undefined. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Differs after each start of the machine. */
  readonly bootId?: string | undefined;
  /** Containers have their own: the same id is another process in each. */
  readonly pidNamespace?: string | undefined;
  /** In ticks of the machine since its start. */
  readonly startedAt?: string | undefined;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const { pid } = process;
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined);
  const pidNamespace = await readlink("/proc/self/ns/pid").catch(() => undefined);
  const startedAt = (await statOf(pid))?.startedAt;
  return { pid, bootId: bootId?.trim(), pidNamespace, startedAt };
}

/** Whether a process that was named earlier runs. Undefined: this cannot be seen from here. */
export async function isRunning(named: ProcessIdentity, own: ProcessIdentity): Promise<boolean | undefined> {
  if (named.bootId !== own.bootId) return named.bootId === undefined || own.bootId === undefined ? undefined : false;
  if (named.pidNamespace !== own.pidNamespace) return undefined;
  if (own.startedAt === undefined) return isKnownId(named.pid);
  const stat = await statOf(named.pid);
  // One that has ended may wait for its parent to notice.
  return stat !== undefined && stat.startedAt === named.startedAt && !/[ZX]/.test(stat.state);
}

async function statOf(pid: number): Promise<{ readonly state: string; readonly startedAt: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name of the program is in parentheses, and may contain some.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const { 0: state, 19: startedAt } = fields;
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

function isKnownId(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user may not be asked.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
