import type { FirstOf } from "./first-of.ts";

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
          ? IsError<Value> extends true
            ? never
            : { [Key in keyof Value]: Key extends string | number ? JsonProperty<Value[Key]> : never }
          : never;

/* An object with the same properties that someone declared is no error: its `cause` is not `unknown`, or it has none. */
type IsError<Value> = [Error] extends [Value]
  ? "cause" extends keyof Value
    ? Value extends Error
      ? true
      : false
    : false
  : false;

type JsonProperty<Value> = unknown extends Value
  ? Value
  : JsonForm<Exclude<Value, undefined>> | Extract<Value, undefined>;

/** Why JSON cannot carry a payload: the first wrong place in it, as the end of a sentence. */
export type JsonFault<Payload, Path extends string = "", Depth extends readonly unknown[] = []> =
  FirstOf<NotJson<Payload>> extends infer Wrong
    ? Reason<Wrong> extends infer Known extends string
      ? `${At<Path>}${Known}`
      : Depth["length"] extends 5
        ? `${At<Path>} holds what JSON cannot carry`
        : Wrong extends readonly (infer Item)[]
          ? JsonFault<Item, `${Path}[]`, [...Depth, unknown]>
          : FirstOf<WrongKey<Wrong>> extends infer Key extends keyof Wrong & string
            ? JsonFault<Exclude<Wrong[Key], undefined>, Path extends "" ? Key : `${Path}.${Key}`, [...Depth, unknown]>
            : `${At<Path>} holds what JSON cannot carry`
    : never;

type At<Path extends string> = Path extends "" ? "" : ` at '${Path}'`;

/** The members of a union that JSON cannot carry. */
type NotJson<Payload> = Payload extends unknown ? (IsJson<Payload> extends true ? never : Payload) : never;

/** A type by name, and what to use instead; undefined for an object or a list with the fault in it. */
type Reason<Value> = [Value] extends [never]
  ? " is never, so no value fits it"
  : Value extends void
    ? " is undefined, which JSON cannot carry; use null"
    : Value extends bigint
      ? " is a bigint, which JSON cannot carry; use a string"
      : Value extends symbol
        ? " is a symbol, which JSON cannot carry; use a string"
        : Value extends ((...args: never) => unknown) | (abstract new (...args: never) => unknown)
          ? " is a function, which JSON cannot carry; pass plain data"
          : ClassReason<Value>;

type ClassReason<Value> = Value extends Date
  ? " is a Date, which JSON cannot carry; use a string or a number"
  : Value extends { readonly size: number; get(key: never): unknown }
    ? " is a Map, which JSON cannot carry; use an object or a list of pairs"
    : Value extends { readonly size: number; has(value: never): boolean }
      ? " is a Set, which JSON cannot carry; use a list"
      : Value extends PromiseLike<unknown>
        ? " is a Promise, which JSON cannot carry; await it first"
        : IsError<Value> extends true
          ? " is an Error, which JSON cannot carry; use its message"
          : undefined;

type WrongKey<Value> = {
  [Key in keyof Value & string]-?: IsJson<Exclude<Value[Key], undefined>> extends true ? never : Key;
}[keyof Value & string];
