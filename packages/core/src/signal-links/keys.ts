import { invalid, isList, show } from "../checks/check-options.ts";

/** As many characters as 128 random bits have in base 64 at least; fewer can be guessed. */
const shortestSecret = 22;
/** More keys only make each refused link more expensive. */
const mostSecrets = 10;

type Key = Awaited<ReturnType<typeof importKey>>;

/** The keys of links: the first one signs, each one verifies. */
export type Keys = readonly [Key, ...Key[]];

const algorithm = { name: "HMAC", hash: "SHA-256" } as const;

/** Checks secrets. No error shows one. */
export function checkSecrets(secrets: unknown): readonly string[] {
  if (!isList(secrets) || secrets.length === 0 || secrets.length > mostSecrets) {
    throw invalid(
      `secrets must be a list of 1 to ${mostSecrets} strings; got ${isList(secrets) ? secrets.length : show(secrets)}.`,
    );
  }
  return secrets.map((secret: unknown, index) => {
    if (typeof secret === "string" && secret.length >= shortestSecret) return secret;
    const actual = typeof secret === "string" ? `${secret.length} characters` : show(secret);
    throw invalid(
      `secrets[${index}] must be a string of at least ${shortestSecret} random characters; got ${actual}. ` +
        "Make one with: openssl rand -base64 32",
    );
  });
}

export async function importKeys(secrets: readonly string[]): Promise<Keys> {
  const [first, ...others] = await Promise.all(secrets.map(importKey));
  if (first === undefined) throw invalid("secrets must have at least one string.");
  return [first, ...others];
}

function importKey(secret: string) {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign", "verify"]);
}

export async function sign([newest]: Keys, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(algorithm.name, newest, new TextEncoder().encode(text)));
}

/** Whether one of the keys has signed the text. Its time does not depend on the signature. */
export async function verify(keys: Keys, text: string, signature: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = new TextEncoder().encode(text);
  const verified = await Promise.all(keys.map((key) => crypto.subtle.verify(algorithm.name, key, signature, bytes)));
  return verified.includes(true);
}
