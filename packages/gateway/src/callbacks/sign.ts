import { createHmac, randomBytes } from "node:crypto";
import { ChainwrightError } from "chainwright";

const prefix = "whsec_";
/** The lengths that Standard Webhooks allows, in bytes. */
const fewest = 24;
const most = 64;

/**
 * Makes a secret for a receiver, as Standard Webhooks writes it. Both sides need it.
 *
 * @example
 * const secret = createCallbackSecret(); // whsec_...
 */
export function createCallbackSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

/** What is signed. */
interface Message {
  /** The same for all attempts. */
  readonly id: string;
  /** Of this attempt, in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks, with one signature for each secret: receivers accept a message with one that they know, so a secret
 * is changed by giving both for a while.
 */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly string[]): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", keyOf(secret)).update(signed).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

/** Refuses what is no secret. The message does not contain it. */
export function checkSecrets(secrets: readonly string[]): void {
  if (!Array.isArray(secrets)) throw wrong();
  for (const secret of secrets) keyOf(secret);
}

function keyOf(secret: unknown): Buffer {
  if (typeof secret !== "string") throw wrong();
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const key = Buffer.from(text, "base64");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || key.length < fewest || key.length > most) throw wrong();
  return key;
}

function wrong(): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    `secrets must be texts of ${fewest} to ${most} bytes in base64 after "${prefix}"; createCallbackSecret makes one.`,
  );
}
