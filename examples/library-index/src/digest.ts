import { createSHA256 } from "hash-wasm";

// One instance for the process is enough: nothing else runs between `load` and `save`.
const sha256 = await createSHA256();

/**
 * Computes a SHA-256 in parts, each of which may run in another process: the state between two parts is text in the input of a job.
 * (node:crypto does not expose that state.)
 *
 * @param hashState the result of the previous part; null for the first part.
 * @returns the digest after the last part, otherwise the state for the next part.
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
