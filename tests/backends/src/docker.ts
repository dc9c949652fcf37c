import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { controlByDocker } from "./control.ts";
import { place } from "./place.ts";
import type { Place } from "./place.ts";
import { findProgram } from "./programs.ts";
import { startServer } from "./server.ts";
import type { Server, ServerOptions, ServerPlan } from "./server.ts";
import type { Source } from "./sources.ts";

const run = promisify(execFile);

export interface Container {
  readonly image: string;
  /** The port inside the container. */
  readonly port: number;
  readonly flags?: readonly string[];
  /** The arguments of the image's entry point. */
  args(options: ServerOptions): readonly string[];
  /** The parts of the plan that do not depend on Docker. */
  shared(at: Place): Pick<ServerPlan, "name" | "url" | "probe">;
}

/** A container on a loopback port, if a Docker daemon responds. */
export function dockerSource(container: Container): Source {
  return {
    from: "docker",
    async look() {
      const docker = findProgram("docker");
      if (docker === undefined) return { missing: "no docker program" };
      try {
        await run(docker, ["version", "--format", "{{.Server.Version}}"], { timeout: 10_000 });
      } catch {
        return { missing: "docker has no running daemon" };
      }
      return { start: (options) => startContainer(docker, container, options) };
    },
  };
}

/** The container stays when its server ends, so that `restart` finds its data; stopping removes it. */
async function startContainer(docker: string, container: Container, options: ServerOptions): Promise<Server> {
  const at = await place("docker", options);
  const name = `chainwright-${randomUUID()}`;
  const publish = `127.0.0.1:${at.port}:${container.port}`;
  const { image, flags = [] } = container;
  return startServer({
    ...at,
    ...container.shared(at),
    origin: `docker image ${image}`,
    launch: {
      command: docker,
      args: ["run", "--name", name, "--publish", publish, ...flags, image, ...container.args(options)],
    },
    relaunch: { command: docker, args: ["start", "--attach", name] },
    control: controlByDocker(docker, name),
    // The image may have to be pulled first.
    readyWithinMs: 300_000,
  });
}
