import { controlBySignals } from "./control.ts";
import { dockerSource } from "./docker.ts";
import { freePort, greet } from "./loopback.ts";
import { place } from "./place.ts";
import type { Place } from "./place.ts";
import { findProgram } from "./programs.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startFromFirst } from "./sources.ts";
import type { Source, StartOptions } from "./sources.ts";

const sources: readonly Source[] = [
  {
    from: "installed",
    async look() {
      const folders = ["/opt/homebrew/opt/redis/bin", "/usr/local/opt/redis/bin"];
      const program = findProgram("redis-server", folders) ?? findProgram("valkey-server");
      if (program === undefined) return { missing: "no redis-server or valkey-server on this machine" };
      return { start: (options) => startProgram(program, options) };
    },
  },
  dockerSource({
    image: "redis:8-alpine",
    port: 6379,
    args: (options) => ["redis-server", ...settingFlags(options)],
    shared,
  }),
];

/** A Redis or a Valkey. It stores nothing on disk unless `settings` ask for it. */
export function startRedis(options: StartOptions = {}): Promise<Server> {
  return startFromFirst("redis", sources, options);
}

async function startProgram(program: string, options: ServerOptions): Promise<Server> {
  const at = await place("redis", options);
  const settings = { ...(await portsOf(options)), ...options.settings };
  return startServer({
    ...at,
    ...shared(at),
    origin: program,
    launch: {
      command: program,
      args: ["--port", String(at.port), "--bind", "127.0.0.1", "--dir", at.folder, ...settingFlags({ settings })],
      options: { cwd: at.folder },
    },
    control: controlBySignals({ stop: "SIGTERM", orphaned: "SIGKILL" }),
    readyWithinMs: 30_000,
  });
}

/**
 * The nodes of a cluster speak to each other on a second port. By default it is 10,000 above the first one: there it may be the
 * port of an outgoing connection.
 */
async function portsOf({ settings }: ServerOptions): Promise<Record<string, string>> {
  return settings?.["cluster-enabled"] === "yes" ? { "cluster-port": String(await freePort()) } : {};
}

function shared({ port }: Place) {
  return { name: "redis", url: `redis://127.0.0.1:${port}`, probe: () => probeRedis(port) };
}

function settingFlags({ settings }: ServerOptions): string[] {
  return Object.entries({ save: "", appendonly: "no", ...settings }).flatMap(([name, value]) => [`--${name}`, value]);
}

function probeRedis(port: number): Promise<string> {
  return greet({
    port,
    say: "INFO server\r\n",
    hear: (received) => {
      const text = received.toString("latin1");
      if (text.startsWith("-")) throw new Error(`Redis replied with an error: ${text}`);
      return /(?:valkey|redis)_version:(\S+)\r\n/.exec(text)?.[1];
    },
  });
}
