import { expect, it } from "vitest";
import { readOptions, type Options } from "../src/options.ts";

function read(...args: readonly string[]): Options {
  const options = readOptions(args);
  if (options === "help") throw new Error("help was not asked for");
  return options;
}

it("attacks every store at the scale of the guarantees page by default", () => {
  const { attacks, failover, against } = read();
  expect(attacks.map(({ backend }) => backend)).toEqual(["postgres", "better-sqlite3", "node:sqlite"]);
  expect(attacks[0]?.scale).toMatchObject({ chains: 40_000, kills: 1_500, serverKills: 20, minutes: 10 });
  expect([failover, against]).toEqual([undefined, "build"]);
});

it("uses the scale from the command line", () => {
  const { attacks } = read("--backend", "postgres", "--minutes", "0.3", "--kills", "4", "--shapes", "line,loop");
  expect(attacks).toMatchObject([{ backend: "postgres", scale: { minutes: 0.3, kills: 4, shapes: ["line", "loop"] } }]);
});

it("runs only the failover if nothing else is named", () => {
  const options = read("--backend", "postgres-failover", "--rounds", "2", "--quorum-seconds", "3");
  expect(options).toMatchObject({ attacks: [], failover: { rounds: 2, quorumGoneMs: 3_000 } });
});

it("does not kill a server whose disk is filled", () => {
  expect(read("--full-disk").attacks.map(({ scale }) => scale.serverKills)).toEqual([0, 0, 0]);
});

it.each([
  [["--backend", "mysql"], /--backend must be one of postgres, .*; got mysql/],
  [["--minutes", "long"], /--minutes must be a number from 0; got long/],
  [["--against", "docs"], /--against must be build or sources; got docs/],
  [["--shapes", "circle"], /circle/],
  [["--fast"], /--fast/],
])("says what is wrong with %j", (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
