import type { ChainId } from "../model/ids.ts";
import type { AnyEnv } from "./env.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { Found, UndeclaredName } from "./undeclared.ts";

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

/** What `cancelChain` returns: a union that `typeName` narrows. */
export type CancelledResult<E extends AnyEnv> = Found<
  CancelledStarts<E["types"]>,
  E["entries"],
  UndeclaredName,
  CancelledStart<UndeclaredName, unknown>
>;

type CancelledStarts<Types> = { [Name in keyof Types]: CancelledStart<Name, InputOf<Types[Name]>> };
