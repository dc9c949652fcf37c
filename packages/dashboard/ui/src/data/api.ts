import { requestHeader, routes, type ErrorResponse } from "../../../src/protocol/routes.ts";
import type { ActionResponse, ActionRequest, PreviewResponse, SessionResponse } from "../../../src/protocol/actions.ts";
import type { OverviewResponse } from "../../../src/protocol/overview.ts";
import type {
  BlockersResponse,
  ChainResponse,
  ChainsResponse,
  DependentsResponse,
  FailedResponse,
  JobResponse,
  ScheduleResponse,
  StepsResponse,
} from "../../../src/protocol/reads.ts";
import { setServerTime } from "./now.ts";

interface Answers {
  session: SessionResponse;
  overview: OverviewResponse;
  chains: ChainsResponse;
  chain: ChainResponse;
  steps: StepsResponse;
  blockers: BlockersResponse;
  dependents: DependentsResponse;
  job: JobResponse;
  failed: FailedResponse;
  schedule: ScheduleResponse;
}

interface PostAnswers {
  preview: PreviewResponse;
  act: ActionResponse;
}

/** What a question may carry behind its question mark. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The server said no, or could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  /** Where the server keeps the details. */
  readonly logId: string | undefined;

  constructor(code: string, message: string, logId?: string) {
    super(message);
    this.code = code;
    this.logId = logId;
  }
}

/** Asks the server. */
export async function get<Route extends keyof Answers>(
  route: Route,
  query: Query,
  signal?: AbortSignal,
): Promise<Answers[Route]> {
  const url = new URL(routes[route].path, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    for (const each of typeof value === "string" ? [value] : (value ?? [])) {
      if (each !== "") url.searchParams.append(name, each);
    }
  }
  return await answerOf<Answers[Route]>(url, { signal: signal ?? null, headers: { accept: "application/json" } });
}

/** Has the server do something, or say what it would do. */
export async function post<Route extends keyof PostAnswers>(
  route: Route,
  body: ActionRequest,
): Promise<PostAnswers[Route]> {
  return await answerOf<PostAnswers[Route]>(new URL(routes[route].path, document.baseURI), {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", [requestHeader]: "1" },
    body: JSON.stringify(body),
  });
}

async function answerOf<Answer>(url: URL, init: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("unreachable", "The server does not answer.");
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || body === undefined) throw refusal(response, body);
  const { now } = body as { readonly now?: number };
  if (now !== undefined) setServerTime(now);
  return body as Answer;
}

function refusal(response: Response, body: unknown): ApiError {
  const { error } = (body ?? {}) as Partial<ErrorResponse>;
  if (error === undefined) return new ApiError("unexpected", `The server answered with status ${response.status}.`);
  return new ApiError(error.code, error.message, error.id);
}
