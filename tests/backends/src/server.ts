import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Control } from "./control.ts";

/** What every `startX` takes. */
export interface ServerOptions {
  /** Kept when the server stops. Default: a temporary folder that is removed. */
  readonly dataDir?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** The server's own settings, by the names its documentation uses. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server on the loopback interface that ends with the process that started it, however that ends. */
export interface Server {
  readonly url: string;
  readonly port: number;
  /** The server's main process; another one after `restart`. */
  readonly pid: number;
  readonly version: string;
  /** Where the program came from. */
  readonly origin: string;
  /** Its log, and its data unless it runs in Docker. */
  readonly folder: string;
  /** Ends it in its own orderly way; a temporary data folder is removed. Idempotent. */
  stop(): Promise<void>;
  /** SIGKILL to it and its children. The data stays for `restart`. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, stopping it in an orderly way first if it runs. */
  restart(): Promise<void>;
  /** SIGSTOP to it and its children: connections stay open and nothing answers. */
  pause(): Promise<void>;
  /** The end of `pause`. */
  resume(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: { readonly cwd?: string; readonly uid?: number; readonly gid?: number };
}

/** Everything that differs between one kind of server and another. */
export interface ServerPlan {
  readonly name: string;
  readonly origin: string;
  readonly url: string;
  readonly port: number;
  readonly launch: Launch;
  /** Where it differs from `launch`. */
  readonly relaunch?: Launch;
  readonly control: Control;
  /** Holds the log; removed on `stop` when temporary. */
  readonly folder: string;
  readonly temporary: boolean;
  readonly readyWithinMs: number;
  /** The server's version, once it answers; rejects until then. */
  probe(): Promise<string>;
}

type Told = { readonly pid: number } | { readonly error: string } | { readonly exit: string };

export async function startServer(plan: ServerPlan): Promise<Server> {
  const guard = startGuard(plan);
  try {
    const first = await launchAndWait(guard, plan, plan.launch);
    return serverOf({ plan, guard, ...first });
  } catch (error) {
    await endGuard(guard);
    throw error;
  }
}

interface Running {
  readonly plan: ServerPlan;
  readonly guard: ChildProcess;
  readonly pid: number;
  readonly version: string;
}

function serverOf({ plan, guard, pid: firstPid, version }: Running): Server {
  let pid = firstPid;
  let running = true;
  guard.on("message", (told: Told) => {
    if ("exit" in told) running = false;
  });
  const end = async (how: "stop" | "kill") => {
    if (!running) return;
    const ended = exitOf(guard);
    await plan.control[how](pid);
    await ended;
  };
  const inTurn = createTurn();
  // The id of a process that has ended may be that of another one by now.
  const signal = async (how: "pause" | "resume") => {
    if (running) await plan.control[how](pid);
  };
  const server: Server = {
    url: plan.url,
    port: plan.port,
    version,
    origin: plan.origin,
    folder: plan.folder,
    get pid() {
      return pid;
    },
    stop: () =>
      inTurn(async () => {
        if (guard.connected) await end("stop");
        await endGuard(guard);
        if (plan.temporary) rmSync(plan.folder, { recursive: true, force: true, maxRetries: 5 });
      }),
    kill: () => inTurn(() => end("kill")),
    restart: () =>
      inTurn(async () => {
        await end("stop");
        ({ pid } = await launchAndWait(guard, plan, plan.relaunch ?? plan.launch));
        running = true;
      }),
    pause: () => inTurn(() => signal("pause")),
    resume: () => inTurn(() => signal("resume")),
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}

/** Runs one operation after the other: two at the same time would take each other's messages from the guard. */
function createTurn(): (run: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => undefined);
    return next;
  };
}

const logOf = (plan: ServerPlan) => join(plan.folder, "server.log");

function startGuard(plan: ServerPlan): ChildProcess {
  const log = openSync(logOf(plan), "a");
  const orders = JSON.stringify({ end: plan.control.onOrphaned, remove: plan.temporary ? plan.folder : null });
  const guard = spawn(process.execPath, [fileURLToPath(new URL("guard.mjs", import.meta.url)), orders], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    // Flags and preloads of a test runner are not for the guard.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  closeSync(log);
  guard.unref();
  guard.channel?.unref();
  return guard;
}

/** Closing the channel makes the guard end whatever still runs and leave. */
async function endGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  guard.ref();
  const left = once(guard, "exit");
  if (guard.connected) guard.disconnect();
  await left;
}

async function launchAndWait(guard: ChildProcess, plan: ServerPlan, launch: Launch) {
  const told = await answerOf(guard, () => guard.send(launch));
  if (!("pid" in told)) throw failed(plan, "error" in told ? told.error : told.exit);

  let exit: string | undefined;
  const watch = (later: Told) => {
    if ("exit" in later) ({ exit } = later);
  };
  guard.on("message", watch);
  try {
    return { pid: told.pid, version: await untilReady(plan, () => exit) };
  } finally {
    guard.off("message", watch);
  }
}

async function untilReady(plan: ServerPlan, exit: () => string | undefined): Promise<string> {
  const deadline = Date.now() + plan.readyWithinMs;
  for (;;) {
    try {
      return await plan.probe();
    } catch (error) {
      if (exit() !== undefined) throw failed(plan, `it ended with ${exit()}`, error);
      if (Date.now() > deadline) throw failed(plan, `no answer in ${plan.readyWithinMs} ms`, error);
    }
    await delay(20);
  }
}

/** The next message of the guard, holding the event loop open until it is there. */
function answerOf(guard: ChildProcess, ask: () => void): Promise<Told> {
  guard.channel?.ref();
  return new Promise<Told>((resolve, reject) => {
    const gone = () => reject(new Error("the guard of a server ended before its owner"));
    guard.once("message", (told: Told) => {
      guard.off("exit", gone);
      resolve(told);
    });
    guard.once("exit", gone);
    ask();
  }).finally(() => guard.channel?.unref());
}

async function exitOf(guard: ChildProcess): Promise<void> {
  while (!("exit" in (await answerOf(guard, () => undefined))));
}

function failed(plan: ServerPlan, why: string, cause?: unknown): Error {
  const log = readFileSync(logOf(plan), "utf8").split("\n").slice(-15).join("\n");
  return new Error(`${plan.name} from ${plan.origin} did not start: ${why}\n${log}`, { cause });
}
