import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openApiDocument } from "../src/openapi.ts";

const file = join(import.meta.dirname, "../openapi.json");

it("the committed OpenAPI document is that of the routes; write it again with UPDATE_OPENAPI=1", () => {
  const text = `${JSON.stringify(openApiDocument(), undefined, 2)}\n`;
  if (process.env["UPDATE_OPENAPI"] === "1") writeFileSync(file, text);
  expect(JSON.parse(text) as unknown).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

it("each operation of the document has a name of its own, and an error for a request that is not valid", () => {
  const { paths } = openApiDocument() as { readonly paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const unchecked = operations.filter(({ responses }) => !("400" in responses)).map(({ operationId }) => operationId);
  expect(unchecked).toEqual(["health"]);
});

it("a payload that must be there is required, so that generated clients send null", () => {
  const { components } = openApiDocument() as {
    readonly components: { readonly schemas: Record<string, { readonly required: readonly string[] }> };
  };
  expect(components.schemas["CompletedOutcome"]?.required).toContain("output");
  expect(components.schemas["Job"]?.required).toContain("input");
});

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
}
