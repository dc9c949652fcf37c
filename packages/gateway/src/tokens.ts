import { createHmac, timingSafeEqual } from "node:crypto";
import type { RemoteLease } from "chainwright/remote";
import { Refusal } from "./http/refusal.ts";
import { leaseSchema } from "./lease-schema.ts";

/** Signs what names a claim of a job, so that clients can neither make up nor change one. */
export interface Tokens {
  tokenOf(lease: RemoteLease): string;
  /** Refuses a token that was not signed by one of the secrets. */
  leaseOf(token: string): RemoteLease;
}

/** Tells these signatures from those of others with the same secret. */
const purpose = "chainwright gateway token 1\n";
const longest = 8_192;

/** The first secret signs, all of them verify. */
export function createTokens(secrets: readonly string[]): Tokens {
  const [first = ""] = secrets;
  return {
    tokenOf(lease) {
      const payload = Buffer.from(JSON.stringify(lease)).toString("base64url");
      return `${payload}.${macOf(first, payload).toString("base64url")}`;
    },
    leaseOf(token) {
      const at = token.lastIndexOf(".");
      const payload = token.slice(0, Math.max(at, 0));
      const mac = token.slice(at + 1);
      if (token.length > longest || !secrets.some((secret) => isSame(macOf(secret, payload), mac)))
        throw invalidToken();
      return parse(payload);
    },
  };
}

function macOf(secret: string, payload: string): Buffer {
  return createHmac("sha256", secret)
    .update(purpose + payload)
    .digest();
}

/** The text is compared as well: a base64url text has other spellings with the same bytes. */
function isSame(mac: Buffer, text: string): boolean {
  const given = Buffer.from(text, "base64url");
  return given.length === mac.length && timingSafeEqual(given, mac) && mac.toString("base64url") === text;
}

/** The signature is right, so only a token of another version of the gateway can fail here. */
function parse(payload: string): RemoteLease {
  const read = leaseSchema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  if (!read.success) throw invalidToken();
  return read.data;
}

function invalidToken(): Refusal {
  return new Refusal(
    400,
    "invalid-token",
    "The token is not one that this gateway has signed; send it back unchanged.",
  );
}
