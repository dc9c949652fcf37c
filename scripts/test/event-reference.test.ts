import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The events of the model: the fields of each, those that may be absent with a question mark. */
function eventsOfModel(): Map<string, string[]> {
  const file = pathOf("packages/core/src/model/event.ts");
  const program = ts.createProgram([file], { strict: true, noEmit: true, allowImportingTsExtensions: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === "ChainwrightEvent");
  const union = symbol && checker.getDeclaredTypeOfSymbol(symbol);
  const events = new Map<string, string[]>();
  for (const event of union?.isUnion() === true ? union.types : []) {
    const fields = checker.getPropertiesOfType(event);
    const type = fields.find(({ name }) => name === "type");
    const names = type && checker.getTypeOfSymbol(type);
    const others = fields
      .filter((field) => field !== type)
      .map(({ name, flags }) => (flags & ts.SymbolFlags.Optional ? `${name}?` : name));
    for (const name of names?.isUnion() === true ? names.types : [names])
      if (name?.isStringLiteral() === true) events.set(name.value, others.sort());
  }
  return events;
}

/** The rows of the guide's two tables of events. */
function eventsOfGuide(): Map<string, string[]> {
  const guide = readFileSync(pathOf("docs-site/guides/observability.md"), "utf8");
  const tables = guide.slice(guide.indexOf("## Events"), guide.indexOf("## Your own logger"));
  const rows = tables.matchAll(/^\| `([a-z-]+)` +\| [^|]+ \|([^|]*)\|$/gm);
  return new Map(
    Array.from(rows, ([, name = "", fields = ""]) => [
      name,
      Array.from(fields.matchAll(/`([^`]+)`/g), ([, field = ""]) => field).sort(),
    ]),
  );
}

describe("the reference of events", () => {
  it("names every event of the model with its fields, and no other", () => {
    const model = eventsOfModel();
    expect(model.size).toBeGreaterThan(20);
    expect(Object.fromEntries(eventsOfGuide())).toEqual(Object.fromEntries(model));
  });
});
