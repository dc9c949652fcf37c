import { join } from "node:path";
import { controlBySignals } from "./control.ts";
import { dockerSource } from "./docker.ts";
import { greet } from "./loopback.ts";
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
      const program = findProgram("nats-server");
      if (program === undefined) return { missing: "no nats-server on this machine" };
      return { start: (options) => startProgram(program, options) };
    },
  },
  dockerSource({ image: "nats:2-alpine", port: 4222, args: settingFlags, shared }),
];

/** Starts a NATS server; `settings` are its command-line options by their long names. */
export function startNats(options: StartOptions = {}): Promise<Server> {
  return startFromFirst("nats", sources, options);
}

async function startProgram(program: string, options: ServerOptions): Promise<Server> {
  const at = await place("nats", options);
  const where = ["--addr", "127.0.0.1", "--port", String(at.port), "--store_dir", join(at.folder, "data")];
  return startServer({
    ...at,
    ...shared(at),
    origin: program,
    launch: { command: program, args: [...where, ...settingFlags(options)], options: { cwd: at.folder } },
    control: controlBySignals({ stop: "SIGTERM", orphaned: "SIGKILL" }),
    readyWithinMs: 30_000,
  });
}

function shared({ port }: Place) {
  return { name: "nats", url: `nats://127.0.0.1:${port}`, probe: () => probeNats(port) };
}

function settingFlags({ settings = {} }: ServerOptions): string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}

/** The server sends the first message, one line of JSON. */
function probeNats(port: number): Promise<string> {
  return greet({
    port,
    hear: (received) => /"version":"([^"]+)".*\r\n/.exec(received.toString("utf8"))?.[1],
  });
}
