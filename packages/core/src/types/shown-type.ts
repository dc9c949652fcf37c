import type { FirstOf } from "./first-of.ts";
import type { Completed, Continuation } from "./step-result.ts";

/**
 * A type as text, for a sentence about it. Objects are shown two levels deep; of a long list of properties, or of members of a
 * union, the first ones.
 */
export type ShownType<Type, Depth extends 0 | 1 | 2 = 0> = unknown extends Type
  ? "unknown"
  : [Type] extends [never]
    ? "nothing"
    : undefined extends Type
      ? OrNothing<Exclude<Type, void | undefined | null>, Depth>
      : ShownUnion<[boolean] extends [Type] ? Exclude<Type, boolean> | Bool : Type, Depth>;

type OrNothing<Type, Depth extends 0 | 1 | 2> = [Type] extends [never]
  ? "nothing"
  : `${ShownType<Type, Depth>} | nothing`;

declare const bool: unique symbol;
/** Represents `boolean`, which is a union of two types. */
interface Bool {
  readonly [bool]: true;
}

type ShownUnion<Type, Depth extends 0 | 1 | 2, Rounds extends readonly unknown[] = []> =
  FirstOf<Type> extends infer First
    ? [Type] extends [First]
      ? ShownOne<First, Depth>
      : Rounds["length"] extends 5
        ? "..."
        : `${ShownOne<First, Depth>} | ${ShownUnion<Exclude<Type, First>, Depth, [...Rounds, unknown]>}`
    : never;

type ShownOne<Type, Depth extends 0 | 1 | 2> = Type extends string
  ? string extends Type
    ? "string"
    : `'${Type}'`
  : Type extends number | bigint | boolean | null
    ? ShownPrimitive<Type>
    : Type extends Bool
      ? "boolean"
      : Type extends Continuation
        ? "a continuation"
        : Type extends Completed
          ? "the result of complete"
          : Type extends (...args: never) => unknown
            ? "a function"
            : Type extends readonly (infer Item)[]
              ? Parenthesized<ShownType<Item, Deeper<Depth>>>
              : Type extends object
                ? ShownObject<Type, Depth>
                : "unknown";

type ShownPrimitive<Type extends number | bigint | boolean | null> = number extends Type
  ? "number"
  : bigint extends Type
    ? "bigint"
    : `${Type}`;

type Parenthesized<Text extends string> = Text extends `${string} | ${string}` ? `(${Text})[]` : `${Text}[]`;

type Deeper<Depth extends 0 | 1 | 2> = Depth extends 0 ? 1 : 2;

type ShownObject<Type, Depth extends 0 | 1 | 2> = Depth extends 2
  ? "{ ... }"
  : Type extends Date
    ? "Date"
    : [keyof Type] extends [never]
      ? "{}"
      : `{ ${ShownProperties<Type, keyof Type, Depth>} }`;

type ShownProperties<Type, Keys extends keyof Type, Depth extends 0 | 1 | 2, Rounds extends readonly unknown[] = []> =
  FirstOf<Keys> extends infer First extends Keys
    ? [Keys] extends [First]
      ? ShownProperty<Type, First, Depth>
      : Rounds["length"] extends 7
        ? "..."
        : `${ShownProperty<Type, First, Depth>}; ${ShownProperties<Type, Exclude<Keys, First>, Depth, [...Rounds, unknown]>}`
    : never;

type ShownProperty<Type, Key extends keyof Type, Depth extends 0 | 1 | 2> =
  {} extends Pick<Type, Key>
    ? `${Key & string}?: ${ShownType<Exclude<Type[Key], undefined>, Deeper<Depth>>}`
    : `${Key & string}: ${ShownType<Type[Key], Deeper<Depth>>}`;
