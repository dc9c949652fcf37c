import { outputOf } from "@chainwright/backends/program-output";
import { expect, it } from "vitest";

it.each([
  ["zod", "Invalid email address"],
  ["valibot", 'Invalid email: Received "no address"'],
  ["arktype", 'email must be an email address (was "no address")'],
])(
  "%s transforms the input, and refuses an invalid one with its own message",
  async (name, words) => {
    expect(await outputOf(new URL(`../src/${name}.ts`, import.meta.url))).toBe(
      `{ invited: 'ada@example.com, 1 seat' }\nthe input of "user.invite" does not fit its schema: email: ${words}.\n`,
    );
  },
  60_000,
);
