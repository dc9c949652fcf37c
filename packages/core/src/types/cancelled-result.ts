import type { ChainId } from "../model/ids.ts";
import type { AnyEnv } from "./env.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { UndeclaredName } from "./undeclared.ts";

/** A chain that was cancelled. */
export interface CancelledStart<out Name, out Input> {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly input: Input;
  /** Set if the input cannot be read, as a sentence. Reading it then throws `input-unreadable`. */
  readonly unreadable?: string | undefined;
  /** The ids of all chains that were cancelled: its own, then those of blockers that it had started. */
  readonly cancelled: readonly ChainId[];
}

/**
 * What `cancelChain` returns: a union that `typeName` narrows. It is written without `Found` and `Shown`, because the declarations of a
 * program show what is in them only as long as the packed declarations do not export them from one file to another.
 */
export type CancelledResult<E extends AnyEnv> =
  | CancelledStarts<E["types"]>[E["entries"] & keyof E["types"]]
  | (string extends E["entries"] ? never : CancelledStart<UndeclaredName, unknown>);

type CancelledStarts<Types> = { [Name in keyof Types]: CancelledStart<Name, InputOf<Types[Name]>> };
