import { parseArgs } from "node:util";
import type { Role } from "../protocol/actions.ts";
import { isRole } from "../roles.ts";

/** The parsed command line. */
export interface Arguments {
  readonly store: StoreArguments;
  readonly port: number;
  readonly role: Role;
  readonly redactedKeys: readonly string[];
}

export type StoreArguments =
  | { readonly kind: "sqlite"; readonly file: string; readonly tablePrefix: string | undefined }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string | undefined };

export const usage = `Usage: chainwright-dashboard (--sqlite FILE | --postgres URL) [options]

Serves the dashboard on this machine only, and prints a sign-in link that works once.

  --sqlite FILE          the SQLite file that holds the jobs
  --table-prefix PREFIX  the prefix of its tables (default: chainwright_)
  --postgres URL         the Postgres database that holds the jobs; set CHAINWRIGHT_POSTGRES_URL instead
                         to keep the password out of the process list
  --schema NAME          its schema (default: chainwright)
  --port NUMBER          the port to listen on (default: any free port)
  --role ROLE            what the page may do: viewer, operator or admin (default: admin)
  --redact KEY[,KEY]     payload keys whose values are hidden
  --help                 show this text
`;

/** Parses the arguments; returns undefined for `--help`. */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sqlite: { type: "string" },
      "table-prefix": { type: "string" },
      postgres: { type: "string" },
      schema: { type: "string" },
      port: { type: "string", default: "0" },
      role: { type: "string", default: "admin" },
      redact: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
    throw new Error(`--port must be an integer from 0 to 65535; got ${values.port}`);
  if (!isRole(values.role)) throw new Error(`--role must be viewer, operator or admin; got ${values.role}`);
  return {
    store: storeOf({ ...values, postgres: values.postgres ?? env["CHAINWRIGHT_POSTGRES_URL"] }),
    port,
    role: values.role,
    redactedKeys: values.redact.flatMap((keys) => keys.split(",")).filter((key) => key !== ""),
  };
}

interface StoreValues {
  readonly sqlite?: string | undefined;
  readonly "table-prefix"?: string | undefined;
  readonly postgres?: string | undefined;
  readonly schema?: string | undefined;
}

function storeOf({ sqlite, postgres, schema, "table-prefix": tablePrefix }: StoreValues): StoreArguments {
  if (sqlite !== undefined) return { kind: "sqlite", file: sqlite, tablePrefix };
  if (postgres !== undefined) return { kind: "postgres", url: postgres, schema };
  throw new Error("name a store: --sqlite FILE or --postgres URL");
}
