import { fromBase64Url, toBase64Url } from "./base64url.ts";
import { sign, verify, type Keys } from "./keys.ts";

/** The signal that a link sends. */
export interface LinkedSignal {
  readonly id: string;
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
  /** The same for all links of which only one may work. */
  readonly signalId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Part of what is signed, so that a signature made for another purpose with the same secret is not one of a link. */
const purpose = "chainwright signal link 1";

type Fields = readonly [
  id: string,
  typeName: string,
  signal: string,
  payload: unknown,
  signalId: string,
  expiresAt: number,
];

/**
 * The text of a link: the signal as JSON and its signature, HMAC-SHA-256 (RFC 2104), both in the base 64 of URLs (RFC 4648, section 5). It
 * can be read by everyone who has the link.
 */
export async function writeToken(keys: Keys, linked: LinkedSignal): Promise<string> {
  const { id, typeName, signal, payload, signalId, expiresAt } = linked;
  const fields: Fields = [id, typeName, signal, payload, signalId, expiresAt];
  const body = toBase64Url(new TextEncoder().encode(JSON.stringify(fields)));
  return `${body}.${toBase64Url(await sign(keys, signedText(body)))}`;
}

/** Undefined: none of the keys has signed this text. */
export async function readToken(keys: Keys, token: string): Promise<LinkedSignal | undefined> {
  const [body = "", encoded = "", ...rest] = token.split(".");
  const bytes = fromBase64Url(body);
  const signature = fromBase64Url(encoded);
  if (bytes === undefined || signature === undefined || rest.length > 0) return undefined;
  if (!(await verify(keys, signedText(body), signature))) return undefined;
  const fields: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isFields(fields)) return undefined;
  const [id, typeName, signal, payload, signalId, expiresAt] = fields;
  return { id, typeName, signal, payload, signalId, expiresAt };
}

/** What has the signature was written by `writeToken`, unless it was written for a later version. */
function isFields(value: unknown): value is Fields {
  return Array.isArray(value) && value.length === 6;
}

function signedText(body: string): string {
  return `${purpose}\n${body}`;
}
