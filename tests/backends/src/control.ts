import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** How to stop, kill and pause one running server. */
export interface Control {
  stop(pid: number): Promise<void>;
  kill(pid: number): Promise<void>;
  pause(pid: number): Promise<void>;
  resume(pid: number): Promise<void>;
  /** What the guard does when the server's owner has ended. */
  readonly onOrphaned:
    | { readonly signal: NodeJS.Signals }
    | { readonly command: string; readonly args: readonly string[] };
}

export interface Signals {
  readonly stop: NodeJS.Signals;
  readonly orphaned: NodeJS.Signals;
}

/** For a server that is a process of this machine. */
export function controlBySignals(signals: Signals): Control {
  return {
    stop: async (pid) => {
      send(await withDescendants(pid), "SIGCONT");
      send([pid], signals.stop);
    },
    kill: async (pid) => {
      // A child that started after the children were listed would outlive the server, and keep a Postgres from starting again.
      send([pid], "SIGSTOP");
      const pids = await withDescendants(pid);
      send(pids, "SIGKILL");
      await haveEnded(pids);
    },
    pause: async (pid) => send(await withDescendants(pid), "SIGSTOP"),
    resume: async (pid) => send(await withDescendants(pid), "SIGCONT"),
    onOrphaned: { signal: signals.orphaned },
  };
}

/** For a server in a container: the process of this machine is only the `docker` command that shows its output. */
export function controlByDocker(docker: string, container: string): Control {
  const command =
    (...args: string[]) =>
    async () => {
      await run(docker, [...args, container]);
    };
  return {
    stop: command("stop"),
    kill: command("kill"),
    pause: command("pause"),
    resume: command("unpause"),
    onOrphaned: { command: docker, args: ["rm", "--force", "--volumes", container] },
  };
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** After this time, the id of a killed process may belong to another process. */
const endsWithinMs = 10_000;

/** Waits until the processes have ended: a Postgres does not start again while one of its earlier processes exists. */
async function haveEnded(pids: readonly number[]): Promise<void> {
  const killed = new Set(pids);
  const deadline = performance.now() + endsWithinMs;
  while (performance.now() < deadline && (await allProcesses()).some(({ pid }) => killed.has(pid))) await delay(5);
}

/** Lists the process first: if it is killed before its children, it cannot replace them. */
async function withDescendants(pid: number): Promise<number[]> {
  const children = Map.groupBy(await allProcesses(), ({ parent }) => parent);
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []).map((child) => child.pid));
  return found;
}

/** Without those that have ended and that their parents have not yet waited for. */
async function allProcesses(): Promise<{ pid: number; parent: number }[]> {
  if (process.platform === "linux") return processesOfLinux();
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,stat="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state?.startsWith("Z") !== true)
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

// A bare Debian has no ps.
function processesOfLinux(): { pid: number; parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // "pid (name) state parent ...", where the name may contain any character, also brackets.
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return []; // it ended in the meantime
      }
    });
}
