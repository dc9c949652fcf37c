import { findBackend } from "@chainwright/backends/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPg, openPGlite, openPostgresJs, type Client } from "./clients.ts";

const url = await findBackend("postgres");

const libraries: readonly [string, () => Client<unknown> | Promise<Client<unknown>>][] = [
  ["pg", () => openPg(url ?? "", 1)],
  ["postgres.js", () => openPostgresJs(url ?? "", 1)],
  ["PGlite", openPGlite],
];

const statement = (text: string) => ({ text, parameters: [], prepare: false });
/** Sends two rows before it fails. */
const failing = statement("select n::text, (1 / (3 - n))::text from generate_series(1, 5) as s(n)");
const sound = statement("select n::text from generate_series(1, 3) as s(n)");

describe.skipIf(url === undefined).each(libraries)("rows of the driver for %s", (_name, open) => {
  let client: Client<unknown>;

  beforeAll(async () => {
    client = await open();
  });

  afterAll(() => client.end());

  it("are those of their own statement when the statement before it failed after its first rows", async () => {
    const driver = client.driver();
    await expect(driver.query(failing, undefined)).rejects.toThrow("division by zero");
    expect([...(await driver.query(sound, undefined))]).toEqual([["1"], ["2"], ["3"]]);
  });

  it("are those of their own statement in a transaction on that connection", async () => {
    const driver = client.driver();
    await expect(driver.query(failing, undefined)).rejects.toThrow("division by zero");
    const rows = await driver.transaction((tx) => driver.query(sound, tx));
    expect([...rows]).toEqual([["1"], ["2"], ["3"]]);
  });
});
