import { spawn } from "node:child_process";

const mostMs = 180_000;

export interface Ran {
  readonly printed: string;
  /** Whether it ended by itself, with status 0. */
  readonly ended: boolean;
}

interface Limits {
  readonly signal: AbortSignal;
  readonly limitMs?: number | undefined;
}

/** Runs a program of the copy. Stops it and its children when its time is up or the signal aborts. */
export function runProgram(root: string, args: readonly string[], { signal, limitMs = mostMs }: Limits): Promise<Ran> {
  const child = spawn(process.execPath, ["--conditions=@chainwright/source", ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return new Promise((resolve) => {
    const stop = () => void process.kill(-(child.pid ?? 0), "SIGKILL");
    const timer = setTimeout(stop, limitMs);
    signal.addEventListener("abort", stop);
    child.on("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve({ printed, ended: code === 0 });
    });
  });
}
