import { createSHA256 } from "hash-wasm";

// One for the process: nothing else runs between `load` and `save`.
const sha256 = await createSHA256();

/**
 * A SHA-256 that is computed in parts, each by whichever process: the state between two of them is text that a job can
 * carry. (node:crypto keeps that state to itself.)
 *
 * @param hashState what the part before gave; null for the first part.
 * @returns after the last part the digest, and before that the state to go on with.
 */
export function digestPart(
  hashState: string | null,
  bytes: Uint8Array,
  isLast: boolean,
): { readonly sha256: string } | { readonly hashState: string } {
  if (hashState === null) sha256.init();
  else sha256.load(Buffer.from(hashState, "base64"));
  sha256.update(bytes);
  return isLast ? { sha256: sha256.digest() } : { hashState: Buffer.from(sha256.save()).toString("base64") };
}
