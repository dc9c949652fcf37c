/*
 * The API between the dashboard's server and its web UI: JSON over HTTP, moments in milliseconds since 1970. Every text in a
 * response (type names, ids, errors, payloads) comes from the application's jobs: show it, never run it.
 */

/** The API, relative to the base path; who may act depends on the action: `fetch(new URL(routes.overview.path, document.baseURI))`. */
export const routes = {
  session: { method: "GET", path: "-/session" },
  overview: { method: "GET", path: "-/overview" },
  history: { method: "GET", path: "-/history" },
  lost: { method: "GET", path: "-/lost" },
  chains: { method: "GET", path: "-/chains" },
  chain: { method: "GET", path: "-/chain" },
  steps: { method: "GET", path: "-/steps" },
  blockers: { method: "GET", path: "-/blockers" },
  signals: { method: "GET", path: "-/signals" },
  dependents: { method: "GET", path: "-/dependents" },
  notes: { method: "GET", path: "-/notes" },
  job: { method: "GET", path: "-/job" },
  failed: { method: "GET", path: "-/failed" },
  /** Jobs that are due later. */
  schedule: { method: "GET", path: "-/schedule" },
  limits: { method: "GET", path: "-/limits" },
  /** Recurring schedules. */
  schedules: { method: "GET", path: "-/schedules" },
  recurring: { method: "GET", path: "-/recurring" },
  events: { method: "GET", path: "-/events" },
  /** Reports what an action would do, by performing it in a transaction that is rolled back. */
  preview: { method: "POST", path: "-/preview" },
  act: { method: "POST", path: "-/act" },
} as const satisfies Readonly<Record<string, Route>>;

/** One entry of the table. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
}

/** The header that every POST has, with any value, in addition to `content-type: application/json`: no form can send it. */
export const requestHeader = "x-chainwright-dashboard";

/** The body of every response that is not 2xx. */
export interface ErrorResponse {
  readonly error: {
    /** `unauthorised`, `forbidden`, `read-only`, `not-found`, `invalid-request`, `busy`, `store-unavailable`, `internal`, or an error code of Chainwright. */
    readonly code: string;
    /** For a person. */
    readonly message: string;
    /** With `internal`: the id of the failure in the server's log. */
    readonly id?: string;
  };
}
