import { join } from "node:path";
import ts from "typescript";
import { doors, type Door } from "./doors.ts";
import { root } from "./root.ts";

/** What users can import from a door. */
interface Exported {
  readonly door: Door;
  /** Undefined if the door cannot be read. */
  readonly names: readonly ts.Symbol[] | undefined;
}

/** Returns what is missing in the docstrings of the names that users can import, one line each. */
export function missingDocstrings(): readonly string[] {
  const { all, checker } = readDoors();
  return all.flatMap(({ door: { name: door }, names }) => {
    if (names === undefined) return [`${door}: cannot be read`];
    return names.flatMap((found) => {
      const shown = [found, ...membersOf(found, checker)];
      return shown.flatMap((each) => {
        const complaint = complaintAbout(each, checker);
        const name = each === found ? each.name : `${found.name}.${each.name}`;
        return complaint === undefined ? [] : [`${door}: ${name} ${complaint}`];
      });
    });
  });
}

/** A name that users can import. */
export interface PublicName {
  readonly name: string;
  /** The first sentence of its docstring. */
  readonly summary: string;
}

/** The names that users can import, by door, in the order of the alphabet. */
export function publicNames(): ReadonlyMap<string, readonly PublicName[]> {
  const { all, checker } = readDoors();
  const named = (symbol: ts.Symbol): PublicName => {
    const text = ts.displayPartsToString(resolved(symbol, checker).getDocumentationComment(checker));
    const [summary = ""] = text.replaceAll(/\s+/g, " ").split(/(?<=[.:])(?<!e\.g\.) /);
    return { name: symbol.name, summary: summary.replace(/:$/, ".") };
  };
  const byName = (left: PublicName, right: PublicName) => (left.name < right.name ? -1 : 1);
  return new Map(all.map(({ door, names = [] }) => [door.name, names.map(named).sort(byName)]));
}

function readDoors(): { readonly all: readonly Exported[]; readonly checker: ts.TypeChecker } {
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
  const exported = all.map((door): Exported => {
    const file = program.getSourceFile(join(root, door.source));
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    return { door, names: module === undefined ? undefined : checker.getExportsOfModule(module) };
  });
  return { all: exported, checker };
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
