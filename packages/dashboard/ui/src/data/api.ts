import { requestHeader, routes, type ErrorResponse } from "../../../src/protocol/routes.ts";
import type { ActResponse, ActionRequest, PreviewResponse, SessionResponse } from "../../../src/protocol/actions.ts";
import type { LimitsResponse } from "../../../src/protocol/limits.ts";
import type { NotesResponse } from "../../../src/protocol/notes.ts";
import type { HistoryResponse, LostWorkersResponse, OverviewResponse } from "../../../src/protocol/overview.ts";
import type {
  BlockersResponse,
  ChainResponse,
  ChainsResponse,
  DependentsResponse,
  SignalsResponse,
  FailedResponse,
  JobResponse,
  ScheduleResponse,
  StepsResponse,
} from "../../../src/protocol/reads.ts";
import type { RecurringResponse, SchedulesResponse } from "../../../src/protocol/schedules.ts";
import { setServerTime } from "./now.ts";

interface Responses {
  session: SessionResponse;
  overview: OverviewResponse;
  history: HistoryResponse;
  lost: LostWorkersResponse;
  chains: ChainsResponse;
  chain: ChainResponse;
  steps: StepsResponse;
  blockers: BlockersResponse;
  dependents: DependentsResponse;
  signals: SignalsResponse;
  notes: NotesResponse;
  job: JobResponse;
  failed: FailedResponse;
  schedule: ScheduleResponse;
  limits: LimitsResponse;
  schedules: SchedulesResponse;
  recurring: RecurringResponse;
}

interface PostResponses {
  preview: PreviewResponse;
  act: ActResponse;
}

/** The query string of a request. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The server returned an error or was unreachable. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  /** The id of the details in the server's log. */
  readonly logId: string | undefined;

  constructor(code: string, message: string, logId?: string) {
    super(message);
    this.code = code;
    this.logId = logId;
  }
}

/** Sends a GET request to the server. */
export async function get<Route extends keyof Responses>(
  route: Route,
  query: Query,
  signal?: AbortSignal,
): Promise<Responses[Route]> {
  const url = new URL(routes[route].path, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    for (const each of typeof value === "string" ? [value] : (value ?? [])) {
      if (each !== "") url.searchParams.append(name, each);
    }
  }
  return await load<Responses[Route]>(url, { signal: signal ?? null, headers: { accept: "application/json" } });
}

/** Has the server perform an action or preview it. */
export async function post<Route extends keyof PostResponses>(
  route: Route,
  body: ActionRequest,
): Promise<PostResponses[Route]> {
  return await load<PostResponses[Route]>(new URL(routes[route].path, document.baseURI), {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", [requestHeader]: "1" },
    body: JSON.stringify(body),
  });
}

async function load<Body>(url: URL, init: RequestInit): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: "same-origin", redirect: "manual" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("unreachable", "The server does not respond.");
  }
  // `authorize` sends to a sign-in.
  if (response.type === "opaqueredirect") throw new ApiError("unauthorised", "Your session has ended.");
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || body === undefined) throw refusal(response, body);
  const { now } = body as { readonly now?: number };
  if (now !== undefined) setServerTime(now);
  return body as Body;
}

function refusal(response: Response, body: unknown): ApiError {
  const { error } = (body ?? {}) as Partial<ErrorResponse>;
  if (error === undefined) return new ApiError("unexpected", `The server returned status ${response.status}.`);
  return new ApiError(error.code, error.message, error.id);
}
