/** A request, whichever server received it. */
export interface Call {
  readonly method: string;
  /** Below the base path, without its slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** Reads the body: once. */
  body(limits: BodyLimits): Promise<string>;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
}

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** A response. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called if the client has hung up before the response could be written. */
  readonly onUndelivered?: (() => void) | undefined;
}

export const commonHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function json(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply {
  return { status, body: JSON.stringify(value), headers };
}
