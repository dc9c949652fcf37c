// Stands between a program and a server it started, in a process group of its own, so that a terminal's Ctrl-C does not
// reach the server before its owner has finished with it. When the owner goes, in whatever way, the channel closes and
// the guard ends the server and removes its data. Started by server.ts as: node guard.mjs <json>.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

/** @type {{ end: { signal: NodeJS.Signals } | { command: string, args: string[] }, remove: string | null }} */
const { end, remove } = JSON.parse(process.argv[2] ?? "{}");

/** @type {import("node:child_process").ChildProcess | undefined} */
let server;

process.on("message", (/** @type {{ command: string, args: string[], options: object }} */ launch) => {
  const started = spawn(launch.command, launch.args, { ...launch.options, stdio: ["ignore", "inherit", "inherit"] });
  server = started;
  started.on("spawn", () => tell({ pid: started.pid }));
  started.on("error", (error) => tell({ error: error.message }));
  started.on("exit", (code, signal) => {
    server = undefined;
    tell({ exit: signal ?? `status ${code}` });
  });
});

process.on("disconnect", () => {
  // A container outlives the command that shows its output, so this one does not ask whether anything runs.
  if ("command" in end) spawnSync(end.command, end.args, { stdio: "ignore" });
  if (server === undefined) leave();
  server?.once("exit", leave);
  if ("signal" in end) {
    server?.kill("SIGCONT");
    server?.kill(end.signal);
  }
  // The grace period is for the server's own children: Postgres takes them along on SIGQUIT, but not on SIGKILL.
  setTimeout(() => server?.kill("SIGKILL"), 5_000);
});

// The owner decides; a signal meant for it must not take the guard away first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

function leave() {
  if (remove !== null) rmSync(remove, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

/** @param {object} message */
function tell(message) {
  if (process.connected) process.send?.(message);
}
