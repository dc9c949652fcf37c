import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlBySignals } from "./control.ts";
import { give, unprivilegedIdentity } from "./identity.ts";
import { place } from "./place.ts";
import { probePostgres } from "./postgres-probe.ts";
import { findProgram } from "./programs.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";

export function hasPgBouncer(): boolean {
  return findProgram("pgbouncer") !== undefined;
}

/**
 * A PgBouncer in front of a Postgres that asks for no password. `poolSize` limits its connections to the server, so that they
 * pass from one client to the next.
 */
export async function startPgBouncer(
  postgresUrl: string,
  poolMode: "session" | "transaction",
  poolSize = 20,
): Promise<Server> {
  const program = findProgram("pgbouncer");
  if (program === undefined)
    throw new Error("pgbouncer was not found on this machine. Install it, and put it on the PATH.");
  const at = await place("pgbouncer", {});
  const identity = unprivilegedIdentity();
  give(at.folder, identity);
  const target = new URL(postgresUrl);
  const config = join(at.folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username || "postgres"}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${at.port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
ignore_startup_parameters = extra_float_digits
; After a server that went away it asks again at once, not only after 15 seconds.
server_login_retry = 1
`,
  );
  target.port = String(at.port);
  return startServer({
    ...at,
    name: "pgbouncer",
    origin: program,
    url: target.href,
    launch: { command: program, args: [config], options: { ...identity, cwd: at.folder } },
    // PgBouncer has no state to lose, and its orderly shutdowns wait for its clients.
    control: controlBySignals({ stop: "SIGKILL", orphaned: "SIGKILL" }),
    probe: () => probePostgres(at.port),
    readyWithinMs: 30_000,
  });
}
