import { BackendMissingError } from "./missing.ts";
import type { Server, ServerOptions } from "./server.ts";

/** Where servers come from, in the order in which they are looked for. */
export type Origin = "installed" | "embedded" | "docker";

/** `ServerOptions`, and a place to take the server from instead of the first that has it. */
export interface StartOptions extends ServerOptions {
  readonly from?: Origin;
}

export type Found = { readonly start: (options: ServerOptions) => Promise<Server> } | { readonly missing: string };

export interface Source {
  readonly from: Origin;
  /** Says why not, rather than throwing, so that the next one gets its turn. */
  look(): Promise<Found>;
}

/** Starts from the first source that has the server; `BackendMissingError` lists every reason when none has. */
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
