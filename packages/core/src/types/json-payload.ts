/** What JSON carries and gives back as it was. A property may be left out, or be `undefined`, which leaves it out. */
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

/** Names the first properties that JSON cannot carry, for the sentence about them: `, at 'placedAt'`, or nothing. */
export type Culprit<Payload> = Payload extends object
  ? {
      [Key in keyof Payload & string]-?: IsJson<Exclude<Payload[Key], undefined>> extends true ? never : ` at '${Key}'`;
    }[keyof Payload & string] extends infer Found
    ? [Found] extends [never]
      ? ""
      : Found & string
    : ""
  : "";
