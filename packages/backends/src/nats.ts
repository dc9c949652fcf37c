import { join } from "node:path";
import { controlBySignals } from "./control.ts";
import { dockerPlan, findDocker } from "./docker.ts";
import { greet } from "./loopback.ts";
import { BackendMissingError } from "./missing.ts";
import { place } from "./place.ts";
import { findProgram } from "./programs.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions } from "./server.ts";

/** A NATS server; `settings` are its command-line options by their long names. */
export async function startNats(options: ServerOptions = {}): Promise<Server> {
  const program = findProgram("nats-server");
  const docker = program === undefined ? await findDocker() : undefined;
  if (docker !== undefined && "missing" in docker) {
    throw new BackendMissingError("nats", ["no nats-server on this machine", docker.missing]);
  }

  const at = await place("nats", options);
  const settings = Object.entries(options.settings ?? {}).map(([name, value]) => `--${name}=${value}`);
  const shared = { ...at, name: "nats", url: `nats://127.0.0.1:${at.port}`, probe: () => probeNats(at.port) };
  if (docker !== undefined) {
    const publish = `127.0.0.1:${at.port}:4222`;
    return startServer({
      ...shared,
      ...dockerPlan({ docker: docker.command, image: "nats:2-alpine", publish, args: settings }),
    });
  }
  return startServer({
    ...shared,
    origin: program ?? "",
    launch: {
      command: program ?? "",
      args: ["--addr", "127.0.0.1", "--port", String(at.port), "--store_dir", join(at.folder, "data"), ...settings],
      options: { cwd: at.folder },
    },
    control: controlBySignals({ stop: "SIGTERM", orphaned: "SIGKILL" }),
    readyWithinMs: 30_000,
  });
}

/** The server speaks first, with one line of JSON. */
function probeNats(port: number): Promise<string> {
  return greet({
    port,
    hear: (received) => /"version":"([^"]+)".*\r\n/.exec(received.toString("utf8"))?.[1],
  });
}
