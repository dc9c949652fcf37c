import { randomBytes } from "node:crypto";
import type { Surroundings } from "../surroundings.ts";

/** What stays when a development server begins again: its addresses, and the secrets that browsers and workers have. */
export interface Lasting {
  readonly port: number;
  readonly gatewayPort: number;
  /** Of the dashboard's cookie. */
  readonly session: string;
  /** Of the gateway's key. */
  readonly keySecret: string;
  /** Signs the tokens of leases. */
  readonly tokenSecret: string;
}

const variable = "CHAINWRIGHT_DEVELOPMENT";

export function createLasting(ports: Pick<Lasting, "port" | "gatewayPort">): Lasting {
  return { ...ports, session: secret(), keySecret: `cwk_${secret()}`, tokenSecret: secret() };
}

/** As a variable of the environment of the process that begins again and again. */
export function lastingVariable(lasting: Lasting): Readonly<Record<string, string>> {
  const { port, gatewayPort, session, keySecret, tokenSecret } = lasting;
  return { [variable]: [port, gatewayPort, session, keySecret, tokenSecret].join(" ") };
}

/** What an outer process has passed on. Undefined: there is none. */
export function passedOn(env: Surroundings["env"]): Lasting | undefined {
  const text = env[variable];
  if (text === undefined) return undefined;
  const [port, gatewayPort, session = "", keySecret = "", tokenSecret = ""] = text.split(" ");
  return { port: Number(port), gatewayPort: Number(gatewayPort), session, keySecret, tokenSecret };
}

function secret(): string {
  return randomBytes(32).toString("hex");
}
