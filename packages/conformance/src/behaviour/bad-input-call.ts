import type { ChainwrightErrorCode } from "chainwright";
import type { AppFixture } from "./fixture.ts";

/** One call with a bad input, and the code of the error that refuses it. */
export type BadCall = readonly [
  what: string,
  run: (fixture: AppFixture) => Promise<unknown>,
  code: ChainwrightErrorCode,
];

/** Calls a function with any arguments, as a JavaScript program can. */
export async function call(target: unknown, ...args: readonly unknown[]): Promise<unknown> {
  if (typeof target !== "function") throw new TypeError("not a function");
  return (await Reflect.apply(target, undefined, args)) as unknown;
}
