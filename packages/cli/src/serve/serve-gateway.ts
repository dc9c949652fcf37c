import { randomBytes } from "node:crypto";
import { createGateway, type GatewayKey } from "@chainwright/gateway";
import { createNodeServer } from "@chainwright/gateway/node";
import type { AnyClient } from "chainwright";
import { listen } from "./listen.ts";

interface ServeOptions {
  readonly client: AnyClient;
  readonly port: number;
  readonly host: string;
  readonly keys: readonly GatewayKey[];
  /** Sign the tokens of leases. Undefined: those of this process only, made now. */
  readonly tokenSecrets: readonly string[] | undefined;
}

/** A gateway that is listening. */
export interface ServedGateway {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const secretBytes = 32;

/** Serves a gateway by HTTP. */
export async function serveGateway({ client, port, host, keys, tokenSecrets }: ServeOptions): Promise<ServedGateway> {
  const gateway = createGateway({
    client,
    keys,
    tokenSecrets: tokenSecrets ?? [randomBytes(secretBytes).toString("hex")],
  });
  const listening = await listen(createNodeServer(gateway), { port, host });
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`,
    port: listening.port,
    close: async () => {
      await gateway.close();
      await listening.close();
    },
  };
}
