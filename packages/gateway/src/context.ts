import type { JobTypeDefinition, Remote } from "chainwright/remote";
import type { z } from "@hono/zod-openapi";
import type { ErasedClient } from "chainwright/adapter";
import type { CallbackRules } from "./callbacks/rules.ts";
import { Refusal } from "./http/refusal.ts";
import { parseJson } from "./http/read-body.ts";
import type { BodyLimits, Call } from "./http/message.ts";
import type { Caller } from "./keys.ts";
import type { GatewayAuditEntry } from "./options.ts";
import type { Parking } from "./parking.ts";
import { parse } from "./schemas.ts";
import type { Tokens } from "./tokens.ts";

/** What the endpoints work with. */
export interface Context {
  readonly client: ErasedClient;
  readonly remote: Remote;
  readonly definitions: ReadonlyMap<string, JobTypeDefinition>;
  readonly tokens: Tokens;
  readonly parking: Parking;
  readonly bodyLimits: BodyLimits;
  /** Resolves for all requests of a burst at once. */
  readonly endOfBurst: () => Promise<void>;
  /** Where callbacks may go. Undefined: starts have none. */
  readonly callbackRules: CallbackRules | undefined;
  readonly audit: (entry: GatewayAuditEntry) => void;
}

/** A request of a known caller. */
export interface Asked {
  readonly call: Call;
  readonly caller: Caller;
  /** The id in the path, or an empty text. */
  readonly id: string;
}

/** Reads the body of a request by its schema. */
export async function readBodyOf<Schema extends z.ZodType>(
  { bodyLimits }: Context,
  call: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const type = call.header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new Refusal(415, "invalid-request", "Send application/json.");
  if (Number(call.header("content-length") ?? 0) > bodyLimits.bytes)
    throw new Refusal(413, "payload-too-large", `The body must have at most ${bodyLimits.bytes} bytes.`);
  return checked(schema, parseJson(await call.body(bodyLimits)), "body");
}

/** Reads the query of a request by its schema. */
export function readQueryOf<Schema extends z.ZodType>({ query }: Call, schema: Schema): z.output<Schema> {
  return checked(schema, Object.fromEntries(query), "query");
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = parse(schema, value);
  if ("data" in read) return read.data;
  const at = read.at === "" ? "" : ` at ${read.at}`;
  throw new Refusal(400, "invalid-request", `The ${what} is not valid${at}: ${read.why}.`);
}
