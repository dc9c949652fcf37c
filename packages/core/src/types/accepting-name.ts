import type { InputOf } from "./job-type-lookups.ts";
import type { Joined } from "./job-types.ts";

/** The types whose input accepts a shape: the targets of a structural `continueWith: { input: Shape }`. */
/* A conditional type, so that the names that two shapes share are one union: elsewhere the compiler adds the name of the alias to it. */
export type AcceptingName<Types, Shape> =
  Accepting<Forms<Types>[keyof Types], Shape> extends infer Accepting ? NameOf<Forms<Types>, Accepting> : never;

/*
 * The inputs of all types in a canonical form, once a client: inputs that look the same are the same type there. A shape is compared
 * with each different form instead of with each input.
 */
type Forms<Types> = { [Name in keyof Types]: Form<Canonical<InputOf<Types[Name]>>> };

interface Form<in Input> {
  (input: Input): void;
}

type Accepting<Forms, Shape> = Shape extends unknown ? AcceptingOne<Forms, Form<Shape>> : never;
type AcceptingOne<Forms, ShapeForm> = Forms extends ShapeForm ? Forms : never;

/* Computed once for all shapes that the same forms accept. */
type NameOf<Forms, Accepting> = {
  [Name in keyof Forms]: Forms[Name] extends Accepting ? Name : never;
}[keyof Forms];

/*
 * The compiler makes an alias with the same arguments once, and an intersection of the same types once. An object whose properties are
 * all required and no objects, as most are, is made in few steps.
 */
type Canonical<Value, Depth extends readonly unknown[] = []> = Value extends unknown
  ? [keyof Value] extends [never]
    ? Value
    : Value[keyof Value] extends string | number | boolean | null
      ? Joined<{ [Key in keyof Value]: Required<Key, Value[Key]> }[keyof Value]>
      : CanonicalDeep<Value, Depth>
  : never;

type CanonicalDeep<Value, Depth extends readonly unknown[]> = Value extends string | number | boolean
  ? Value
  : Value extends readonly (infer Item)[]
    ? number extends Value["length"]
      ? Value extends unknown[]
        ? Canonical<Item, Depth>[]
        : readonly Canonical<Item, Depth>[]
      : Value
    : string extends keyof Value
      ? Value
      : Depth["length"] extends 4
        ? Value
        : Joined<Properties<Value, [...Depth, unknown]>[keyof Value]>;

type Properties<Value, Depth extends readonly unknown[]> = {
  [Key in keyof Value]-?: {} extends Pick<Value, Key>
    ? Optional<Key, Canonical<Value[Key], Depth>>
    : Required<Key, Canonical<Value[Key], Depth>>;
};

type Required<Key extends PropertyKey, Value> = { readonly [Name in Key]: Value };
type Optional<Key extends PropertyKey, Value> = { readonly [Name in Key]?: Value };
