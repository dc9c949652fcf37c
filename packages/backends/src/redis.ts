import { controlBySignals } from "./control.ts";
import { dockerPlan, findDocker } from "./docker.ts";
import { greet } from "./loopback.ts";
import { BackendMissingError } from "./missing.ts";
import { place } from "./place.ts";
import { findProgram } from "./programs.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions } from "./server.ts";

/** A Redis (or a Valkey) that keeps nothing on disk unless `settings` say so. */
export async function startRedis(options: ServerOptions = {}): Promise<Server> {
  const program =
    findProgram("redis-server", ["/usr/local/opt/redis/bin", "/opt/homebrew/opt/redis/bin"]) ??
    findProgram("valkey-server");
  const docker = program === undefined ? await findDocker() : undefined;
  if (docker !== undefined && "missing" in docker) {
    throw new BackendMissingError("redis", ["no redis-server or valkey-server on this machine", docker.missing]);
  }

  const at = await place("redis", options);
  const settings = Object.entries({ save: "", appendonly: "no", ...options.settings }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const shared = {
    ...at,
    name: "redis",
    url: `redis://127.0.0.1:${at.port}`,
    probe: () => probeRedis(at.port),
  };
  if (docker !== undefined) {
    const publish = `127.0.0.1:${at.port}:6379`;
    return startServer({
      ...shared,
      ...dockerPlan({ docker: docker.command, image: "redis:8-alpine", publish, args: ["redis-server", ...settings] }),
    });
  }
  return startServer({
    ...shared,
    origin: program ?? "",
    launch: {
      command: program ?? "",
      args: ["--port", String(at.port), "--bind", "127.0.0.1", "--dir", at.folder, ...settings],
      options: { cwd: at.folder },
    },
    control: controlBySignals({ stop: "SIGTERM", orphaned: "SIGKILL" }),
    readyWithinMs: 30_000,
  });
}

function probeRedis(port: number): Promise<string> {
  return greet({
    port,
    say: "INFO server\r\n",
    hear: (received) => {
      const text = received.toString("latin1");
      if (text.startsWith("-")) throw new Error(`Redis says: ${text}`);
      return /(?:valkey|redis)_version:(\S+)\r\n/.exec(text)?.[1];
    },
  });
}
