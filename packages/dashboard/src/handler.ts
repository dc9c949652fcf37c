import { errorResponse, jsonResponse } from "./http/response.ts";
import { act } from "./actions/act.ts";
import { preview } from "./actions/preview.ts";
import { pathBelow } from "./http/base-path.ts";
import type { Call, Context } from "./context.ts";
import type { Audit, Principal } from "./options.ts";
import { routes, type Route } from "./protocol/routes.ts";
import { chain } from "./reads/chain.ts";
import { chains } from "./reads/chains.ts";
import { failed } from "./reads/failed.ts";
import { history } from "./reads/history.ts";
import { job } from "./reads/job.ts";
import { limits } from "./reads/limits.ts";
import { lost } from "./reads/lost.ts";
import { notes } from "./reads/notes.ts";
import { schedule } from "./reads/schedule.ts";
import { recurring, schedules } from "./reads/schedules.ts";
import { session } from "./reads/session.ts";
import { signals } from "./reads/signals.ts";
import { blockers, dependents, steps } from "./reads/steps.ts";
import { Refusal } from "./http/refusal.ts";
import { refuseOtherSites } from "./http/same-origin.ts";
import type { WebUi } from "./web-ui.ts";

const longestUrl = 8_192;
const apiPrefix = "-/";

export interface HandlerOptions {
  /** The context of one reader's requests. */
  readonly contextFor: (principal: Principal) => Context;
  /** The endpoint of live events, which all readers share. */
  readonly events: (call: Call) => Response;
  readonly basePath: string;
  readonly webUi: WebUi;
  readonly audit: Audit | undefined;
  readonly origins: readonly string[] | undefined;
}

/** Handles authorised requests. */
export type Handler = (request: Request, principal: Principal) => Promise<Response>;

export function createHandler({ contextFor, events, basePath, webUi, audit, origins }: HandlerOptions): Handler {
  const endpoints = endpointsOf(events, audit);
  const api = new Map<string, { readonly route: Route; readonly name: string }>(
    Object.entries(routes).map(([name, route]) => [route.path, { route, name }]),
  );

  const callApi = async (path: string, request: Request, call: Call): Promise<Response> => {
    refuseOtherSites(request, origins);
    const found = api.get(path);
    if (found === undefined) throw new Refusal(404, "not-found", "There is no such page.");
    const { route, name } = found;
    if (request.method !== route.method) throw notAllowed();
    const reply = await endpoints.get(name)?.(contextFor(call.principal), call);
    return reply instanceof Response ? reply : jsonResponse(reply);
  };

  return async (request, principal) => {
    if (request.url.length > longestUrl) throw new Refusal(414, "invalid-request", "The address is too long.");
    const url = new URL(request.url);
    const path = pathBelow(basePath, url.pathname);
    if (path.startsWith(apiPrefix))
      return await callApi(path, request, { request, query: url.searchParams, principal });
    if (request.method !== "GET" && request.method !== "HEAD") throw notAllowed();
    const file = webUi.serve(path, request);
    if (file === undefined) throw new Refusal(404, "not-found", "There is no such file.");
    return request.method === "HEAD" ? new Response(null, file) : file;
  };
}

type Endpoint = (context: Context, call: Call) => unknown;

/** The function behind each route. */
function endpointsOf(events: HandlerOptions["events"], audit: Audit | undefined): ReadonlyMap<string, Endpoint> {
  const table: Readonly<Record<keyof typeof routes, Endpoint>> = {
    session,
    overview: async ({ watch }) => await watch.overview(),
    history,
    lost,
    chains,
    chain,
    steps,
    blockers,
    dependents,
    signals,
    notes,
    job,
    failed,
    schedule,
    limits,
    schedules,
    recurring,
    events: (_context, call) => events(call),
    preview,
    act: async (context, call) => await act(context, call, audit),
  };
  return new Map(Object.entries(table));
}

function notAllowed(): Refusal {
  return new Refusal(405, "invalid-request", "This address does not support this method.");
}

/** The response for a refusal. */
export function refusalResponse({ status, code, message }: Refusal): Response {
  return errorResponse(status, { code, message });
}
