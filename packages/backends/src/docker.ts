import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { controlByDocker } from "./control.ts";
import { findProgram } from "./programs.ts";
import type { ServerPlan } from "./server.ts";

const run = promisify(execFile);

/** The docker command, if a daemon answers it. */
export async function findDocker(): Promise<{ readonly command: string } | { readonly missing: string }> {
  const command = findProgram("docker");
  if (command === undefined) return { missing: "no docker program" };
  try {
    await run(command, ["version", "--format", "{{.Server.Version}}"], { timeout: 10_000 });
    return { command };
  } catch {
    return { missing: "docker has no running daemon" };
  }
}

export interface Container {
  readonly docker: string;
  readonly image: string;
  /** "127.0.0.1:<port>:<port in the container>" */
  readonly publish: string;
  readonly flags?: readonly string[];
  readonly args: readonly string[];
}

type DockerPart = Pick<ServerPlan, "origin" | "launch" | "relaunch" | "control" | "readyWithinMs"> & {
  readonly relaunch: ServerPlan["launch"];
};

/** The container stays when its server ends, so that `restart` finds its data; stopping removes it. */
export function dockerPlan({ docker, image, publish, flags = [], args }: Container): DockerPart {
  const name = `chainwright-${randomUUID()}`;
  return {
    origin: `docker image ${image}`,
    launch: { command: docker, args: ["run", "--name", name, "--publish", publish, ...flags, image, ...args] },
    relaunch: { command: docker, args: ["start", "--attach", name] },
    control: controlByDocker(docker, name),
    // The image may have to be pulled first.
    readyWithinMs: 300_000,
  };
}
