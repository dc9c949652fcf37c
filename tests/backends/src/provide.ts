import { startNats } from "./nats.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { StartOptions } from "./sources.ts";

export type BackendName = "postgres" | "redis" | "nats";

export interface ProvidedBackend {
  readonly url: string;
  /** Absent when the environment named the server, because this process did not start it and must not stop it. */
  readonly server?: Server;
}

const known: Record<BackendName, { variable: string; start: (options: ServerOptions) => Promise<Server> }> = {
  postgres: { variable: "POSTGRES_URL", start: (options) => startPostgres({ ...options, ...originOfPostgres() }) },
  redis: { variable: "REDIS_URL", start: startRedis },
  nats: { variable: "NATS_URL", start: startNats },
};

export const backendNames = Object.keys(known) as readonly BackendName[];

/** Returns the server that the environment names, or starts one; throws `BackendMissingError` if there is none. */
export async function provideBackend(name: BackendName, options: ServerOptions = {}): Promise<ProvidedBackend> {
  const url = process.env[known[name].variable];
  if (url !== undefined && url !== "") return { url };
  const server = await known[name].start(options);
  return { url: server.url, server };
}

/** The embedded Postgres is the newest; an installed one may be older. */
function originOfPostgres(): Pick<StartOptions, "from"> {
  const from = process.env["CHAINWRIGHT_POSTGRES_FROM"];
  if (from === undefined || from === "") return {};
  if (from !== "installed" && from !== "embedded" && from !== "docker") {
    throw new TypeError(`CHAINWRIGHT_POSTGRES_FROM must be installed, embedded or docker; got ${from}`);
  }
  return { from };
}

/** Returns what to do about a missing backend. */
export function remedyFor(name: BackendName): string {
  return `set ${known[name].variable}, install the server, or start Docker`;
}
