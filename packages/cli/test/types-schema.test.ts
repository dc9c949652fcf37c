import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cli } from "./cli.ts";

const config = fileURLToPath(new URL("fixtures/schemas.config.ts", import.meta.url));
const schemas = {
  typeName: "mail.send",
  input: { type: "object", properties: { to: { type: "string" } } },
  output: { type: "null" },
};

describe("types --schema", () => {
  it("prints the JSON Schemas of a job type on one line", async () => {
    for (const before of [[], ["--json"]]) {
      const { code, lines } = await cli([...before, "--config", config, "types", "list", "--schema", "mail.send"]);
      expect([code, lines.map((line) => JSON.parse(line) as unknown)]).toEqual([0, [schemas]]);
    }
  });

  it("works without the name of the default command", async () => {
    expect(await cli(["--config", config, "types", "--schema", "mail.send"])).toMatchObject({ code: 0 });
  });

  it("refuses a type without schemas", async () => {
    const unknown = await cli(["--config", config, "types", "--schema", "mail.sent"]);
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.err).toContain("declares no schemas for mail.sent");
  });
});
