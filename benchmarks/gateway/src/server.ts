import { fork } from "node:child_process";
import { once } from "node:events";
import { createGatewayKey } from "@chainwright/gateway";

/** What the process of the gateway has used. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
  readonly exchanges: number;
  readonly parked: number;
}

export interface MeasuredServer {
  readonly port: number;
  readonly secret: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts a gateway on a store: a Postgres URL, or the path of a SQLite file. */
export async function startGateway(store: string): Promise<MeasuredServer> {
  const { secret, key } = createGatewayKey({ name: "bench", scopes: [] });
  return await startProcess(
    new URL("gateway-process.ts", import.meta.url),
    [store, "a token secret that only this run has", key.hash],
    secret,
  );
}

/** Starts a bare server: what node:http alone needs for the same requests. */
export async function startBareServer(): Promise<MeasuredServer> {
  return await startProcess(new URL("bare-process.ts", import.meta.url), [], "none");
}

async function startProcess(module: URL, args: readonly string[], secret: string): Promise<MeasuredServer> {
  const execArgv = [...process.execArgv, "--expose-gc"];
  const child = fork(module, [...args], { execArgv });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    port,
    secret,
    async usage() {
      child.send("usage");
      const [usage] = (await once(child, "message")) as [Usage];
      return usage;
    },
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
