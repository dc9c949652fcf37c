import { parseArgs } from "node:util";
import type { Role } from "../protocol/actions.ts";
import { isRole } from "../roles.ts";

/** What the program was asked to do. */
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

Serves the dashboard on this machine alone, and prints a link that signs in once.

  --sqlite FILE          the SQLite file of the jobs; --table-prefix if it is not "chainwright_"
  --postgres URL         the Postgres database, also read from CHAINWRIGHT_POSTGRES_URL, which keeps a password
                         out of the list of processes; --schema if it is not "chainwright"
  --port NUMBER          where to listen; any free port unless set
  --role ROLE            what the page may do: viewer, operator or admin (default)
  --redact KEY[,KEY]     keys of payloads whose values are not shown
  --help                 this text
`;

/** Reads the arguments; undefined: the usage was asked for. Throws what is wrong with them as a sentence. */
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
    throw new Error(`--port is a number up to 65535, not ${values.port}`);
  if (!isRole(values.role)) throw new Error(`--role is viewer, operator or admin, not ${values.role}`);
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
  throw new Error("say which store: --sqlite FILE or --postgres URL");
}
