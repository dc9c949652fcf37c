import type { OmittedPayloads } from "../model/record.ts";

/** In which form a chain or job is stored; its input and output are of the newest version. */
export interface StoredForm {
  /** The version in which the input is stored, see `defineVersions`. */
  readonly version: number;
  /** The version in which the output is stored; 1 without an output. */
  readonly outputVersion: number;
  /**
   * Set in lists if the input or the output cannot be read, as a sentence. Reading it then throws `input-unreadable`; everything else
   * of the record can be read.
   */
  readonly unreadable?: string | undefined;
  /**
   * Set in lists with `mostPayloadBytes` if the input or the output was left out: their sizes in bytes. Reading one then throws
   * `invalid-input`; `getChain` and `getJob` return it.
   */
  readonly omitted?: OmittedPayloads | undefined;
}
