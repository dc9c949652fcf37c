import { expect, it } from "vitest";
import { readArguments } from "../src/arguments.ts";

it("chooses every mutant of every target without arguments", () => {
  expect(readArguments([])).toMatchObject({ every: false, list: false, minutes: undefined });
});

it("chooses the mutants whose name contains one of the texts", () => {
  const choice = readArguments(["release: bounded", "--target", "core"]);
  expect(choice).toMatchObject({ targets: [{ name: "core", mutants: [{ name: "release: bounded" }] }] });
});

it("says which target is unknown, and which there are", () => {
  const mistake = "--target must be one of core, brokers, gateway, journal, postgres, sqlite; got redis";
  expect(readArguments(["--target", "redis"])).toEqual({ mistake });
});

it("says that no mutant has such a name", () => {
  const mistake = 'no mutant has a name that contains "no such thing"; --list prints all names';
  expect(readArguments(["no such thing"])).toEqual({ mistake });
});

it("says what is wrong with an option", () => {
  expect(readArguments(["--minutes", "soon"])).toEqual({ mistake: "--minutes must be a number above 0; got soon" });
  expect(readArguments(["--all"])).toMatchObject({ mistake: expect.stringContaining("--all") });
});
