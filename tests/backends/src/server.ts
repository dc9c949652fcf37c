import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Control } from "./control.ts";

/** The options of every `startX`. */
export interface ServerOptions {
  /** A folder that stays when the server stops. Default: a temporary folder, which is removed. */
  readonly dataDir?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** The server's settings, by the names in its documentation. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server on the loopback interface. It ends when the process that started it ends, for any reason. */
export interface Server {
  readonly url: string;
  readonly port: number;
  /** The id of the server's main process; it changes with `restart`. */
  readonly pid: number;
  readonly version: string;
  /** The source of the program. */
  readonly origin: string;
  /** The folder with its log, and with its data unless it runs in Docker. */
  readonly folder: string;
  /** Shuts the server down in an orderly way, and removes a temporary data folder. Idempotent. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the server and its children. The data stays for `restart`. */
  kill(): Promise<void>;
  /** Starts the server again with the same port and data; if it is running, shuts it down in an orderly way first. */
  restart(): Promise<void>;
  /** Sends SIGSTOP to the server and its children: connections stay open, and the server does not respond. */
  pause(): Promise<void>;
  /** Ends a `pause`. */
  resume(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: { readonly cwd?: string; readonly uid?: number; readonly gid?: number };
}

/** Everything that differs between the kinds of servers. */
export interface ServerPlan {
  readonly name: string;
  readonly origin: string;
  readonly url: string;
  readonly port: number;
  readonly launch: Launch;
  /** The launch for a restart, if it differs from `launch`. */
  readonly relaunch?: Launch;
  readonly control: Control;
  /** The folder of the log; `stop` removes it if it is temporary. */
  readonly folder: string;
  readonly temporary: boolean;
  readonly readyWithinMs: number;
  /** Returns the server's version when it responds; rejects until then. */
  probe(): Promise<string>;
}

type GuardMessage = { readonly pid: number } | { readonly error: string } | { readonly exit: string };

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
  guard.on("message", (message: GuardMessage) => {
    if ("exit" in message) running = false;
  });
  const end = async (how: "stop" | "kill") => {
    if (!running) return;
    const ended = exitOf(guard);
    await plan.control[how](pid);
    await ended;
  };
  const inTurn = createTurn();
  // The id of an ended process may belong to another process by now.
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

/** Runs one operation after the other, because two at the same time would receive each other's messages from the guard. */
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
    // The guard must not inherit flags and preloads of a test runner.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  closeSync(log);
  guard.unref();
  guard.channel?.unref();
  return guard;
}

/** Closes the channel, so that the guard ends the server if it still runs, and then exits. */
async function endGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  guard.ref();
  const left = once(guard, "exit");
  if (guard.connected) guard.disconnect();
  await left;
}

async function launchAndWait(guard: ChildProcess, plan: ServerPlan, launch: Launch) {
  const message = await nextMessage(guard, () => guard.send(launch));
  if (!("pid" in message)) throw failed(plan, "error" in message ? message.error : message.exit);

  let exit: string | undefined;
  const watch = (later: GuardMessage) => {
    if ("exit" in later) ({ exit } = later);
  };
  guard.on("message", watch);
  try {
    return { pid: message.pid, version: await untilReady(plan, () => exit) };
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
      if (Date.now() > deadline) throw failed(plan, `it did not respond within ${plan.readyWithinMs} ms`, error);
    }
    await delay(20);
  }
}

/** Returns the next message of the guard, and keeps the event loop alive until it arrives. */
function nextMessage(guard: ChildProcess, ask: () => void): Promise<GuardMessage> {
  guard.channel?.ref();
  return new Promise<GuardMessage>((resolve, reject) => {
    const gone = () => reject(new Error("the guard of a server ended before its owner"));
    guard.once("message", (message: GuardMessage) => {
      guard.off("exit", gone);
      resolve(message);
    });
    guard.once("exit", gone);
    ask();
  }).finally(() => guard.channel?.unref());
}

async function exitOf(guard: ChildProcess): Promise<void> {
  while (!("exit" in (await nextMessage(guard, () => undefined))));
}

function failed(plan: ServerPlan, why: string, cause?: unknown): Error {
  const log = readFileSync(logOf(plan), "utf8").split("\n").slice(-15).join("\n");
  return new Error(`${plan.name} from ${plan.origin} did not start: ${why}\n${log}`, { cause });
}
