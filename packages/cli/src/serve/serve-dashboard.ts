import { createServer } from "node:http";
import type { AnyClient } from "chainwright";
import { createDashboard, type DashboardOptions, type Role } from "@chainwright/dashboard";
import { createNodeListener } from "@chainwright/dashboard/node";
import { listen } from "./listen.ts";
import { loopback } from "./loopback.ts";
import { createSignIn } from "./sign-in.ts";
import { textResponse } from "./text-response.ts";

export interface ServeOptions extends Pick<DashboardOptions, "redact" | "onError"> {
  readonly client: AnyClient;
  /** 0: any free port. */
  readonly port: number;
  readonly role: Role;
  /** The secret in the cookie of who is signed in. Default: a new one. */
  readonly session?: string | undefined;
}

/** A dashboard that is listening on this machine. */
export interface Served {
  /** Works once. */
  readonly link: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A request's head and body must arrive within this time. */
const requestTimeoutMs = 30_000;

/** Serves a dashboard on the loopback interface to everyone who has the link. */
export async function serveDashboard({ client, port, role, session, ...options }: ServeOptions): Promise<Served> {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs });
  const { port: bound, close } = await listen(server, { port, host: loopback });
  const signIn = createSignIn(bound, session);
  const dashboard = createDashboard({
    ...options,
    client,
    hosts: [`${loopback}:${bound}`, `localhost:${bound}`],
    authorize: (request) => (signIn.isSignedIn(request) ? { role } : (signIn.enter(request) ?? signedOut())),
  });
  const listener = createNodeListener(dashboard);
  server.on("request", (request, response) => void listener(request, response));
  return { link: `http://${loopback}:${bound}${signIn.link}`, port: bound, close };
}

function signedOut(): Response {
  return textResponse("Please open the link that the dashboard printed when it started.\n", 401);
}
