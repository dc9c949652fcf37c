import { startNats } from "./nats.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import type { Server, ServerOptions } from "./server.ts";

export type BackendName = "postgres" | "redis" | "nats";

export interface ProvidedBackend {
  readonly url: string;
  /** Absent when the environment named the server: it is somebody else's to stop. */
  readonly server?: Server;
}

const known: Record<BackendName, { variable: string; start: (options: ServerOptions) => Promise<Server> }> = {
  postgres: { variable: "POSTGRES_URL", start: startPostgres },
  redis: { variable: "REDIS_URL", start: startRedis },
  nats: { variable: "NATS_URL", start: startNats },
};

export const backendNames = Object.keys(known) as readonly BackendName[];

/** The server that the environment names, or one that is started here; throws `BackendMissingError` if there is none. */
export async function provideBackend(name: BackendName, options: ServerOptions = {}): Promise<ProvidedBackend> {
  const url = process.env[known[name].variable];
  if (url !== undefined && url !== "") return { url };
  const server = await known[name].start(options);
  return { url: server.url, server };
}

/** What to do about a missing backend, in a few words. */
export function remedyFor(name: BackendName): string {
  return `set ${known[name].variable}, install the server, or start Docker`;
}
