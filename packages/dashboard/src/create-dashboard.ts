import { ChainwrightError, isChainwrightError } from "chainwright";
import { checkKeys, isErasedClient } from "chainwright/adapter";
import { errorResponse } from "./http/response.ts";
import { Interrupted } from "./actions/perform.ts";
import { checkBasePath } from "./http/base-path.ts";
import { systemClock, type DashboardClock } from "./clock.ts";
import { createContexts } from "./contexts.ts";
import { createHandler, refusalResponse, type Handler } from "./handler.ts";
import { logFailure } from "./log-failure.ts";
import type { DashboardOptions } from "./options.ts";
import { createEventStreams } from "./live/events.ts";
import { refusalOf } from "./http/refusal.ts";
import { senderOf } from "./sender.ts";
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
  if (!isErasedClient(client)) {
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
  const { watch, redactionFor, contextFor } = createContexts({
    client,
    clock,
    redact,
    onFailure: (error, where) => void failure(error, where, ""),
  });
  const events = createEventStreams({ watch, clock, authorize, redactionFor });
  let handler: Handler | undefined;

  return {
    fetch: async (request) => {
      try {
        const principal = await senderOf(request, { authorize, hosts });
        if (principal instanceof Response) return principal;
        if (principal === null) return errorResponse(401, { code: "unauthorised", message: "Please sign in." });
        // Created with the first authorised request: until then nothing is read from the disk.
        handler ??= createHandler({ contextFor, events, basePath, audit, origins, webUi: createWebUi(basePath) });
        return await handler(request, principal);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) return refusalResponse(refusal);
        const isHalfDone = error instanceof Interrupted;
        const id = failure(isHalfDone ? error.cause : error, request.method, pathOf(request));
        if (isChainwrightError(error, "store-unavailable")) {
          return errorResponse(503, { code: "store-unavailable", message: "The database cannot be reached.", id });
        }
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

function pathOf({ url }: Request): string {
  return URL.canParse(url) ? new URL(url).pathname.slice(0, 200) : "";
}
