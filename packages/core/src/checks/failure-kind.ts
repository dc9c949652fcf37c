import { hashOf } from "../model/hash.ts";
import { foldMessage } from "./fold-message.ts";
import { ownFrame } from "./own-frame.ts";

/** What tells failures apart. */
export interface FailureText {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** The nearest cause in words: many failures have the same message, as "fetch failed". */
  readonly cause?: string | undefined;
}

/** What failures of one kind have in common, beside the type of their job. */
export interface FailureKind {
  /** 16 letters and digits. */
  readonly kind: string;
  /** The first frame of the stack that is the application's own: `charge (charge.ts)`. */
  readonly frame: string | undefined;
}

/** In UTF-16 units. More of a message is read than counts, because ids of different lengths would move the place where it is cut. */
const [longestRead, longestFolded] = [1_000, 300];

/**
 * The kind of a failure: the name of its error, its message without what differs between failures, such as ids and hashes, and where the
 * application's code threw it.
 *
 * @example
 * const { stack } = new Error("card 4711 was declined");
 * const { kind, frame } = failureKindOf({ name: "Error", message: "card 4711 was declined", stack });
 */
export function failureKindOf({ name, message, stack, cause }: FailureText): FailureKind {
  const said = cause === undefined ? message : `${message} (cause: ${cause})`;
  const folded = foldMessage(said.slice(0, longestRead)).slice(0, longestFolded);
  const frame = ownFrame(stack);
  const text = JSON.stringify([name, folded, frame ?? ""]);
  return { kind: `${digits(hashOf(text))}${digits(hashOf(`.${text}`))}`, frame };
}

function digits(hash: number): string {
  return hash.toString(16).padStart(8, "0");
}
