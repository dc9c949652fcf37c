import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { controlBySignals } from "./control.ts";
import { dockerSource } from "./docker.ts";
import { give, unprivilegedIdentity } from "./identity.ts";
import { place } from "./place.ts";
import type { Place } from "./place.ts";
import { probePostgres } from "./postgres-probe.ts";
import { embeddedPrograms, installedPrograms, reachable } from "./postgres-programs.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startFromFirst } from "./sources.ts";
import type { Source, StartOptions } from "./sources.ts";

const run = promisify(execFile);

const sources: readonly Source[] = [
  {
    from: "installed",
    look: async () => startable(installedPrograms()),
  },
  {
    from: "embedded",
    look: async () => startable(await embeddedPrograms()),
  },
  dockerSource({
    image: "postgres:18-alpine",
    port: 5432,
    flags: ["--env", "POSTGRES_HOST_AUTH_METHOD=trust"],
    args: ({ settings }) => settingFlags({ ...settings }),
    shared,
  }),
];

/** A Postgres with its own, durable settings; user and database are `postgres`, without a password. */
export function startPostgres(options: StartOptions = {}): Promise<Server> {
  return startFromFirst("postgres", sources, options);
}

function startable(programs: ReturnType<typeof installedPrograms>): Awaited<ReturnType<Source["look"]>> {
  return "bin" in programs ? { start: (options) => startPrograms(programs.bin, options) } : programs;
}

async function startPrograms(bin: string, options: ServerOptions): Promise<Server> {
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
  const settings = { ...options.settings, listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  return startServer({
    ...at,
    ...shared(at),
    origin: bin,
    launch: {
      command: join(programs, "postgres"),
      args: ["-D", data, "-p", String(at.port), ...settingFlags(settings)],
      options: { ...identity, cwd: at.folder },
    },
    // SIGINT is Postgres' fast shutdown, SIGQUIT its immediate one.
    control: controlBySignals({ stop: "SIGINT", orphaned: "SIGQUIT" }),
    readyWithinMs: 60_000,
  });
}

function shared({ port }: Place) {
  return { name: "postgres", url: `postgres://postgres@127.0.0.1:${port}/postgres`, probe: () => probePostgres(port) };
}

function settingFlags(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
