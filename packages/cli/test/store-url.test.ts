import { describe, expect, it } from "vitest";
import { describeStore, readStoreUrl, secretsOf } from "../src/store/store-url.ts";
import { cli } from "./cli.ts";

describe("the URL of a store", () => {
  it("takes our own parameters off", () => {
    expect(readStoreUrl("postgres://app:pw@db.example/jobs?sslmode=require&schema=shop", "/")).toEqual({
      kind: "postgres",
      url: "postgres://app:pw@db.example/jobs?sslmode=require",
      schema: "shop",
    });
    expect(readStoreUrl("sqlite:./a%20b.db?tablePrefix=x_", "/data")).toEqual({
      kind: "sqlite",
      file: "/data/a b.db",
      tablePrefix: "x_",
    });
    expect(readStoreUrl("journal:./a%20b", "/data")).toEqual({ kind: "journal", journal: "/data/a b" });
    expect(readStoreUrl("journal:///data/jobs", "/")).toEqual({ kind: "journal", journal: "/data/jobs" });
    expect(readStoreUrl("sqlite:///data/jobs.db", "/")).toMatchObject({ file: "/data/jobs.db" });
    expect(readStoreUrl("sqlite:/data/100%.db", "/")).toMatchObject({ file: "/data/100%.db" });
  });

  it("is described without its password", () => {
    const store = readStoreUrl("postgres://app:secret@db.example/jobs", "/");
    expect(describeStore(store)).toBe("app@db.example/jobs, schema chainwright");
    expect(secretsOf(["postgres://app:s%20e@db.example/jobs", "--json", undefined])).toEqual(["s%20e", "s e"]);
  });

  it.each([
    ["mysql://app:hush-hush@db/jobs", "the store must be"],
    ["sqlite:", "has no file"],
    ["sqlite:a.db?schema=x", "may have tablePrefix"],
    ["journal:", "has no folder"],
    ["journal:./a?durability=full", "nothing else"],
    ["postgres://[", "cannot be read"],
    ["app:hush-hush@db", "the store must be"],
  ])("refuses %s and does not repeat it", async (url, text) => {
    const ran = await cli(["--store", url, "types"]);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.err).toContain(text);
    expect(ran.err).not.toContain("hush-hush");
  });

  it("comes from one place: an option, a configuration or the environment", async () => {
    expect((await cli(["types"])).err).toContain("name a store");
    expect((await cli(["--store", "sqlite:a", "--config", "b", "types"])).err).toContain("leave one out");
    expect((await cli(["--config", "none.mjs", "types"])).err).toContain("there is no file");
  });
});
