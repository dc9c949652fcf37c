import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AnyClient } from "chainwright";
import { createDashboard, type DashboardOptions, type Role } from "@chainwright/dashboard";
import { createNodeListener } from "@chainwright/dashboard/node";
import { createSignIn } from "./sign-in.ts";
import { textResponse } from "./text-response.ts";

export interface ServeOptions extends Pick<DashboardOptions, "redact" | "onError"> {
  readonly client: AnyClient;
  /** 0: any free port. */
  readonly port: number;
  readonly role: Role;
}

/** A dashboard that is listening on this machine. */
export interface Served {
  /** Works once. */
  readonly link: string;
  readonly port: number;
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
/** A request's head and body must arrive within this time. */
const requestTimeoutMs = 30_000;

/** Serves a dashboard on the loopback interface to everyone who has the link. */
export async function serveDashboard({ client, port, role, ...options }: ServeOptions): Promise<Served> {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, resolve);
  });
  const bound = portOf(server.address());
  const signIn = createSignIn(bound);
  const dashboard = createDashboard({
    ...options,
    client,
    hosts: [`${loopback}:${bound}`, `localhost:${bound}`],
    authorize: (request) => (signIn.isSignedIn(request) ? { role } : (signIn.enter(request) ?? signedOut())),
  });
  const listener = createNodeListener(dashboard);
  server.on("request", (request, response) => void listener(request, response));
  return {
    link: `http://${loopback}:${bound}${signIn.link}`,
    port: bound,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function signedOut(): Response {
  return textResponse("Please open the link that the dashboard printed when it started.\n", 401);
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("the server has no port");
}
