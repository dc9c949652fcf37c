import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** How to stop, kill and pause one running server. */
export interface Control {
  stop(pid: number): Promise<void>;
  kill(pid: number): Promise<void>;
  pause(pid: number): Promise<void>;
  resume(pid: number): Promise<void>;
  /** What the guard does when the server's owner is gone. */
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
      // A child born after they were listed would outlive it, and keep a Postgres from starting again.
      send([pid], "SIGSTOP");
      send(await withDescendants(pid), "SIGKILL");
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

/** The process first: killed before its children, it cannot replace them. */
async function withDescendants(pid: number): Promise<number[]> {
  const children = Map.groupBy(await allProcesses(), ({ parent }) => parent);
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []).map((child) => child.pid));
  return found;
}

async function allProcesses(): Promise<{ pid: number; parent: number }[]> {
  if (process.platform === "linux") return processesOfLinux();
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => ({ pid, parent }));
}

// A bare Debian has no ps.
function processesOfLinux(): { pid: number; parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // "pid (name) state parent ...", where the name may hold anything, brackets too.
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return []; // it ended in the meantime
      }
    });
}
