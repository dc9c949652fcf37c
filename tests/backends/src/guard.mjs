// A process between a program and the server that it started. It has its own process group, so that Ctrl-C in a terminal does
// not reach the server before its owner has finished with it. When the owner ends, for any reason, the channel closes, and the
// guard ends the server and removes its data. server.ts starts it as: node guard.mjs <json>.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

/** @type {{ end: { signal: NodeJS.Signals } | { command: string, args: string[] }, remove: string | null }} */
const { end, remove } = JSON.parse(process.argv[2] ?? "{}");

/** @type {import("node:child_process").ChildProcess | undefined} */
let server;

process.on("message", (/** @type {{ command: string, args: string[], options: object }} */ launch) => {
  const started = spawn(launch.command, launch.args, { ...launch.options, stdio: ["ignore", "inherit", "inherit"] });
  server = started;
  started.on("spawn", () => report({ pid: started.pid }));
  started.on("error", (error) => report({ error: error.message }));
  started.on("exit", (code, signal) => {
    server = undefined;
    report({ exit: signal ?? `status ${code}` });
  });
});

process.on("disconnect", () => {
  // A container outlives the command that shows its output, so this runs even if that command has ended.
  if ("command" in end) spawnSync(end.command, end.args, { stdio: "ignore" });
  if (server === undefined) leave();
  server?.once("exit", leave);
  if ("signal" in end) {
    server?.kill("SIGCONT");
    server?.kill(end.signal);
  }
  // The grace period is for the server's children: Postgres ends them on SIGQUIT, but not on SIGKILL.
  setTimeout(() => server?.kill("SIGKILL"), 5_000);
});

// The owner decides when the guard ends; a signal meant for the owner must not end the guard first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

function leave() {
  if (remove !== null) rmSync(remove, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

/** @param {object} message */
function report(message) {
  if (process.connected) process.send?.(message);
}
