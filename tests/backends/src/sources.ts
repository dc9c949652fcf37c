import { BackendMissingError } from "./missing.ts";
import type { Server, ServerOptions } from "./server.ts";

/** The sources of servers, in the order in which they are tried. */
export type Origin = "installed" | "embedded" | "docker";

/** `ServerOptions`, and optionally the only source to use instead of the first that has the server. */
export interface StartOptions extends ServerOptions {
  readonly from?: Origin;
}

export type Found = { readonly start: (options: ServerOptions) => Promise<Server> } | { readonly missing: string };

export interface Source {
  readonly from: Origin;
  /** Returns the reason why it has no server, instead of throwing, so that the next source is tried. */
  look(): Promise<Found>;
}

/** Starts the server from the first source that has it; if none has, `BackendMissingError` lists every reason. */
export async function startFromFirst(name: string, sources: readonly Source[], options: StartOptions): Promise<Server> {
  const reasons: string[] = [];
  for (const source of sources) {
    if (options.from !== undefined && options.from !== source.from) continue;
    const found = await source.look();
    if ("start" in found) return found.start(options);
    reasons.push(found.missing);
  }
  throw new BackendMissingError(name, reasons);
}
