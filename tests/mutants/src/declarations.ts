import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A declaration at the top level of a file, with what it exports or not. */
export interface Declaration {
  readonly name: string;
  readonly path: string;
  readonly start: number;
  readonly text: string;
}

/** Finds declarations by `package:name`, for example `core:runExchangeLoop`. */
export type FindDeclarations = (anchor: string) => readonly Declaration[];

/** Reads the declarations of a package when one of them is asked for. */
export function readDeclarations(root: string): FindDeclarations {
  const packages = new Map<string, readonly Declaration[]>();
  return (anchor) => {
    const [name = "", declaration] = anchor.split(":");
    const known = packages.get(name) ?? declarationsOf(join(root, "packages", name, "src"));
    packages.set(name, known);
    return known.filter((each) => each.name === declaration);
  };
}

function declarationsOf(folder: string): readonly Declaration[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => declarationsIn(join(folder, file)));
}

/** The declarations of one file, as it is now. */
function declarationsIn(path: string): readonly Declaration[] {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    const start = statement.getStart(file);
    const text = file.text.slice(start, statement.end);
    return namesOf(statement).map((name) => ({ name, path, start, text }));
  });
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}
