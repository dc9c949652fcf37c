import { readdirSync, readFileSync } from "node:fs";
import { BackendMissingError, provideBackend, type BackendName, type Server } from "@chainwright/backends";

/** A server that a row needs. Without a pid it was not started here, and its CPU cannot be measured. */
export interface ServerPlace {
  readonly url: string;
  readonly pid: number | undefined;
}

export type Servers = { readonly [Name in BackendName]?: ServerPlace };

/** Finds or starts servers. Rows that need a server that was not found report it. */
export async function provideServers(
  names: Iterable<BackendName>,
  /** Of servers that are started here. */
  settings: { readonly [Name in BackendName]?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly servers: Servers } & AsyncDisposable> {
  const servers: Record<string, ServerPlace> = {};
  const started: Server[] = [];
  for (const name of new Set(names)) {
    try {
      const { url, server } = await provideBackend(name, { settings: settings[name] ?? {} });
      servers[name] = { url, pid: server?.pid };
      if (server !== undefined) started.push(server);
    } catch (error) {
      if (!(error instanceof BackendMissingError)) throw error;
    }
  }
  return {
    servers,
    [Symbol.asyncDispose]: async () => void (await Promise.all(started.map((server) => server.stop()))),
  };
}

/** The place of a server that has been provided, or why there is none. */
export function placeOf(servers: Servers, name: BackendName): ServerPlace {
  const place = servers[name];
  if (place === undefined)
    throw new Error(
      `${name} cannot be reached: set ${name.toUpperCase()}_URL, or install it so that the run can start it`,
    );
  return place;
}

/** Microseconds in a tick of the kernel's process accounting. */
const tickMicros = 10_000;

/** The CPU time of a server with all its processes, where the system reports it. */
export function cpuOf({ pid }: ServerPlace): number | undefined {
  if (pid === undefined || process.platform !== "linux") return undefined;
  let ticks = ticksOf(pid, "with-ended-children");
  for (const entry of readdirSync("/proc")) {
    if (/^\d+$/.test(entry) && parentOf(Number(entry)) === pid) ticks += ticksOf(Number(entry), "own");
  }
  return ticks * tickMicros;
}

/** The fields of /proc/PID/stat after the name, see proc(5); empty for a process that has gone. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? -1);
}

function ticksOf(pid: number, which: "own" | "with-ended-children"): number {
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = statOf(pid).slice(11, 15).map(Number);
  return which === "own" ? user + system : user + system + childrenUser + childrenSystem;
}
