import type { Engine } from "../engine/engine.ts";
import { invalid } from "../checks/check-options.ts";

/** The engine of each client, for its workers. A WeakMap, so that the client has no property for it. */
const engines = new WeakMap<object, Engine>();

export function attachEngine(client: object, engine: Engine): void {
  engines.set(client, engine);
}

export function engineOf(client: unknown): Engine {
  const engine = typeof client === "object" && client !== null ? engines.get(client) : undefined;
  if (engine === undefined)
    throw invalid("client must be a value that createClient returned, of the same copy of the package.");
  return engine;
}
