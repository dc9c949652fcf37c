import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { Call } from "../call.ts";
import { listen } from "../serve/listen.ts";
import { loopback } from "../serve/loopback.ts";
import { usualConfig } from "../store/config.ts";
import { UsageError } from "../usage-error.ts";
import { createLasting, lastingVariable } from "./lasting.ts";

interface Watched {
  readonly port: number;
  readonly gatewayPort: number;
  /** The command line without `--watch`. */
  readonly args: readonly string[];
}

/**
 * Runs a command line in a process that Node.js starts again when the configuration or a module that it imports has
 * changed. Ports and secrets stay.
 */
export async function watchDevelopment(call: Call, { port, gatewayPort, args }: Watched): Promise<number> {
  const { surroundings, storeOptions, out } = call;
  if (storeOptions.config === undefined && usualConfig(surroundings.folder) === undefined)
    throw new UsageError(
      "--watch begins again when your configuration changes, and there is no chainwright.config.ts here",
    );
  const lasting = createLasting({ port: await freePort(port), gatewayPort: await freePort(gatewayPort) });
  const [program = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, "--watch", "--watch-preserve-output", program, ...args], {
    cwd: surroundings.folder,
    env: { ...surroundings.env, ...lastingVariable(lasting) },
    stdio: "inherit",
  });
  out.note("Begins again when the configuration, or a module that it imports, changes.");
  let isStopped = false;
  void surroundings.untilStopped().then(() => {
    isStopped = true;
    child.kill("SIGTERM");
  });
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return isStopped ? 0 : (code ?? 1);
}

/** 0: one that is free now, and is used from then on. */
async function freePort(port: number): Promise<number> {
  if (port !== 0) return port;
  const listening = await listen(createServer(), { port, host: loopback });
  await listening.close();
  return listening.port;
}
