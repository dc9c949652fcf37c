import { ChainwrightError } from "chainwright";
import { checkKeys } from "chainwright/adapter";
import { errorResponse } from "./http/response.ts";
import { Interrupted } from "./actions/perform.ts";
import { checkBasePath } from "./http/base-path.ts";
import { systemClock, type DashboardClock } from "./clock.ts";
import type { Context } from "./context.ts";
import { isDashboardClient } from "./dashboard-client.ts";
import { createHandler, refusalResponse, type Handler } from "./handler.ts";
import { createLatestNotes } from "./live/latest-notes.ts";
import { createWatch } from "./live/watch.ts";
import { logFailure } from "./log-failure.ts";
import type { DashboardOptions, Principal } from "./options.ts";
import { createEventStreams } from "./live/events.ts";
import { createRedactions } from "./redaction.ts";
import { refusalOf } from "./http/refusal.ts";
import { refuseOtherHosts } from "./http/same-origin.ts";
import { isRole } from "./roles.ts";
import { createWebUi } from "./web-ui.ts";

/**
 * A dashboard: one function that handles requests.
 *
 * @example
 * const serve = ({ fetch }: Dashboard) => app.all("/jobs/*", ({ req }) => fetch(req.raw));
 * serve(createDashboard({ client, basePath: "/jobs", authorize }));
 */
export interface Dashboard {
  /** Needs no `this`, so it can be passed around. */
  readonly fetch: (request: Request) => Promise<Response>;
}

const optionKeys = {
  client: true,
  basePath: true,
  authorize: true,
  redact: true,
  audit: true,
  onError: true,
  origins: true,
  hosts: true,
} satisfies Record<keyof DashboardOptions, true>;

/**
 * Creates a dashboard of a client's chains. Mount it in any framework that uses the web's `Request` and `Response`: Hono, Next,
 * Bun, Deno. For node:http, Express and Fastify, use `createNodeListener` of `@chainwright/dashboard/node`.
 *
 * @throws ChainwrightError `invalid-input` for unknown or invalid options
 * @example
 * const dashboard = createDashboard({ client, basePath: "/jobs", authorize: async (request) => await roleOf(request) });
 * app.all("/jobs/*", (context) => dashboard.fetch(context.req.raw)); // Hono
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  return createDashboardAt(options, systemClock);
}

/** The same, with a given clock. */
export function createDashboardAt(options: DashboardOptions, clock: DashboardClock): Dashboard {
  const { client, authorize, redact, audit, origins, hosts, onError = logFailure } = checked(options);
  const basePath = checkBasePath(options.basePath ?? "/");
  if (!isDashboardClient(client)) {
    throw new ChainwrightError("invalid-input", "client must be a value that createClient returned.");
  }

  /** Reports a failure and returns its id. */
  const failure = (error: unknown, method: string, path: string): string => {
    const id = crypto.randomUUID();
    try {
      onError({ id, error, method, path });
    } catch {
      // A failing log must not change the response.
    }
    return id;
  };
  const latestNotes = createLatestNotes(client, clock);
  const watch = createWatch({ client, clock, latestNotes, onFailure: (error) => failure(error, "look", "") });
  const redactionFor = createRedactions(redact, (error) => failure(error, "redact", ""));
  const contextFor = (principal: Principal): Context => ({
    client,
    clock,
    watch,
    latestNotes,
    redacts: redact !== undefined,
    redaction: redactionFor(principal),
    onFailure: (error, where) => void failure(error, where, ""),
  });
  const events = createEventStreams({ watch, clock, authorize, redactionFor });
  let handler: Handler | undefined;

  return {
    fetch: async (request) => {
      try {
        refuseOtherHosts(request, hosts);
        const principal = await authorize(request);
        if (principal instanceof Response) return principal;
        if (principal === null) return errorResponse(401, { code: "unauthorised", message: "Please sign in." });
        // Created with the first authorised request: until then nothing is read from the disk.
        handler ??= createHandler({ contextFor, events, basePath, audit, origins, webUi: createWebUi(basePath) });
        return await handler(request, checkPrincipal(principal));
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) return refusalResponse(refusal);
        const isHalfDone = error instanceof Interrupted;
        const id = failure(isHalfDone ? error.cause : error, request.method, pathOf(request));
        const what = isHalfDone ? error.message : "Something went wrong.";
        return errorResponse(500, { code: "internal", message: `${what} See the server log.`, id });
      }
    },
  };
}

function checked(options: DashboardOptions): DashboardOptions {
  checkKeys(options, optionKeys, "createDashboard");
  if (typeof options.authorize !== "function") {
    const message = "authorize must be a function that returns who sent a request, or null.";
    throw new ChainwrightError("invalid-input", message);
  }
  return options;
}

/** Checks the role that `authorize` returned. A misspelt role is a mistake of the server, whose text does not reach the browser. */
function checkPrincipal({ role, name }: Principal): Principal {
  if (!isRole(role))
    throw new TypeError(`authorize must return the role viewer, operator or admin; got ${JSON.stringify(role)}`);
  return { role, name };
}

function pathOf({ url }: Request): string {
  return URL.canParse(url) ? new URL(url).pathname.slice(0, 200) : "";
}
