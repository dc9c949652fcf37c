import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A PgBouncer in front of a Postgres that trusts everybody, for one test. */
export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasPgBouncer(): boolean {
  return spawnSync("pgbouncer", ["--version"]).status === 0;
}

/** In front of as few connections as `poolSize` says, so that they pass from one client to the next. */
export async function startPgBouncer(
  postgresUrl: string,
  poolMode: "session" | "transaction",
  poolSize = 20,
): Promise<PgBouncer> {
  const target = new URL(postgresUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "chainwright-pgbouncer-"));
  chmodSync(folder, 0o755);
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username || "postgres"}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
ignore_startup_parameters = extra_float_digits
`,
  );
  // Like Postgres it does not run as root.
  const asWhom = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const bouncer = spawn("pgbouncer", [...asWhom, config], { stdio: ["ignore", "ignore", "pipe"] });
  await isUp(bouncer.stderr);
  bouncer.stderr.resume();
  target.port = String(port);
  return {
    url: target.href,
    async stop() {
      bouncer.kill("SIGKILL");
      if (bouncer.exitCode === null && bouncer.signalCode === null) await once(bouncer, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isUp(log: AsyncIterable<Buffer>): Promise<void> {
  let said = "";
  for await (const chunk of log) {
    said += chunk.toString();
    if (said.includes("process up")) return;
  }
  throw new Error(`pgbouncer did not start: ${said}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
