import type { OneOf } from "./one-of.ts";

/** The values that JSON writes and reads without a change. A property may be absent, or be `undefined`, which JSON omits. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * Whether JSON can carry a type. Types without interfaces are settled by comparing with `Json`, which instantiates nothing;
 * an interface has no index signature and never fits it, so those are compared with their own JSON form.
 *
 * `unknown` and `any` pass: what is in them is checked when it is written.
 */
export type IsJson<Payload> = [Payload] extends [Json] ? true : [Payload] extends [JsonForm<Payload>] ? true : false;

/** The same type with `never` wherever JSON has nothing to offer. Lazy, so that recursive types end. */
type JsonForm<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null
    ? Value
    : Value extends ((...args: never) => unknown) | (abstract new (...args: never) => unknown)
      ? never
      : Value extends readonly unknown[]
        ? { [Index in keyof Value]: JsonForm<Value[Index]> }
        : Value extends object
          ? { [Key in keyof Value]: Key extends string | number ? JsonProperty<Value[Key]> : never }
          : never;

type JsonProperty<Value> = unknown extends Value
  ? Value
  : JsonForm<Exclude<Value, undefined>> | Extract<Value, undefined>;

/** Where JSON cannot carry a payload, for the sentence about it: the one property that it cannot carry, or else nothing. */
export type Culprit<Payload> = Payload extends object ? Place<Culprits<Payload>[keyof Culprits<Payload>]> : "";

type Culprits<Payload> = {
  [Key in keyof Payload & string]-?: IsJson<Exclude<Payload[Key], undefined>> extends true ? never : Key;
};

type Place<Key> = [Key] extends [never] ? "" : [Key] extends [OneOf<Key>] ? ` at '${Key & string}'` : "";
