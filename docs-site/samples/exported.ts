import { join } from "node:path";
import ts from "typescript";
import { doors } from "./doors.ts";
import { root } from "./root.ts";

/** Returns what is missing in the docstrings of the names that users can import, one line each. */
export function missingDocstrings(): readonly string[] {
  const all = doors();
  const program = ts.createProgram(
    all.map(({ source }) => join(root, source)),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      customConditions: ["@chainwright/source"],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"],
    },
  );
  const checker = program.getTypeChecker();
  return all.flatMap(({ name: door, source }) => {
    const file = program.getSourceFile(join(root, source));
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    if (module === undefined) return [`${door}: cannot be read`];
    return checker.getExportsOfModule(module).flatMap((found) => {
      const shown = [found, ...membersOf(found, checker)];
      return shown.flatMap((each) => {
        const complaint = complaintAbout(each, checker);
        const name = each === found ? each.name : `${found.name}.${each.name}`;
        return complaint === undefined ? [] : [`${door}: ${name} ${complaint}`];
      });
    });
  });
}

/** Objects that an application gets and calls: readers look up their methods like functions. */
const called: ReadonlySet<string> = new Set(["Client", "Worker"]);

function membersOf(found: ts.Symbol, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if (!called.has(found.name)) return [];
  const type = checker.getDeclaredTypeOfSymbol(resolved(found, checker));
  return type.getProperties().filter(({ flags, name }) => (flags & ts.SymbolFlags.Method) !== 0 && /^\w+$/.test(name));
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** Every name has a docstring. What users call or write down has an example in which it occurs; records and replies need none. */
function complaintAbout(found: ts.Symbol, checker: ts.TypeChecker): string | undefined {
  const symbol = resolved(found, checker);
  if (symbol.getDocumentationComment(checker).length === 0) return "has no docstring";
  const examples = symbol.getJsDocTags(checker).filter(({ name }) => name === "example");
  if (examples.length === 0) return needsExample(symbol, checker) ? "has no @example" : undefined;
  const name = new RegExp(`\\b${found.name}\\b`);
  const shown = examples.some(({ text }) => name.test(ts.displayPartsToString(text)));
  return shown ? undefined : "does not occur in its @example";
}

/** Types that users write down: options, interfaces that they implement, and functions that they pass. */
const written = /(?:Options?|Adapter|Driver)$/;

function needsExample(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if ((symbol.flags & (ts.SymbolFlags.Value | ts.SymbolFlags.Method)) !== 0 || written.test(symbol.name)) return true;
  return checker.getDeclaredTypeOfSymbol(symbol).getCallSignatures().length > 0;
}
