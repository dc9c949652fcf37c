/*
 * The API between the dashboard's server and its web UI: JSON over HTTP, moments in milliseconds since 1970. Every text in a
 * response (type names, ids, errors, payloads) comes from the application's jobs: show it, never run it.
 */
import type { Role } from "./actions.ts";

/** The API, relative to the base path: `fetch(new URL(routes.overview.path, document.baseURI))`. */
export const routes = {
  session: { method: "GET", path: "-/session", role: "viewer" },
  overview: { method: "GET", path: "-/overview", role: "viewer" },
  chains: { method: "GET", path: "-/chains", role: "viewer" },
  chain: { method: "GET", path: "-/chain", role: "viewer" },
  steps: { method: "GET", path: "-/steps", role: "viewer" },
  blockers: { method: "GET", path: "-/blockers", role: "viewer" },
  signals: { method: "GET", path: "-/signals", role: "viewer" },
  dependents: { method: "GET", path: "-/dependents", role: "viewer" },
  job: { method: "GET", path: "-/job", role: "viewer" },
  failed: { method: "GET", path: "-/failed", role: "viewer" },
  /** Jobs that are due later. */
  schedule: { method: "GET", path: "-/schedule", role: "viewer" },
  limits: { method: "GET", path: "-/limits", role: "viewer" },
  /** Recurring schedules. */
  schedules: { method: "GET", path: "-/schedules", role: "viewer" },
  recurring: { method: "GET", path: "-/recurring", role: "viewer" },
  events: { method: "GET", path: "-/events", role: "viewer" },
  /** Reports what an action would do, by performing it in a transaction that is rolled back. */
  preview: { method: "POST", path: "-/preview", role: "operator" },
  /** Needs `admin` to delete. */
  act: { method: "POST", path: "-/act", role: "operator" },
} as const satisfies Readonly<Record<string, Route>>;

/** One entry of the table. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The lowest role that may call it. */
  readonly role: Role;
}

/** The header that every POST has, with any value, in addition to `content-type: application/json`: no form can send it. */
export const requestHeader = "x-chainwright-dashboard";

/** The body of every response that is not 2xx. */
export interface ErrorResponse {
  readonly error: {
    /** `unauthorised`, `forbidden`, `not-found`, `invalid-request`, `busy`, `internal`, or an error code of Chainwright. */
    readonly code: string;
    /** For a person. */
    readonly message: string;
    /** With `internal`: the id of the failure in the server's log. */
    readonly id?: string;
  };
}
