import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { installedFunctions } from "../src/installed-functions.ts";
import { migrations } from "../src/migrations.ts";
import { schemaOf } from "../src/schema.ts";

/*
 * The SQL that creates each schema version, and the functions of the newest one. Databases that have a version keep what it
 * installed, so once a version is released its SQL must never change, and other functions need a new version.
 */

const folder = new URL("schema-versions/", import.meta.url);
const command = "UPDATE_SCHEMA_VERSIONS=1 npx vitest run packages/postgres/test/schema-versions.test.ts";
const isReleased = !/"version": "0\./.test(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const advice = isReleased
  ? "This version is released: databases have it, and migrate() does not run its statements again. Undo the change of the SQL; " +
    "add a step to `migrations` in src/migrations.ts instead. It may be empty if only functions change; a function that processes of " +
    "the version before cannot call any more gets a new name (_v2)."
  : `Before 1.0 a version may change. If the change is intended, run \`${command}\` and commit the file. ` +
    "Databases of earlier builds then have to be created again.";

const snapshots = new Set(readdirSync(folder));

const schema = schemaOf("chainwright");

const files = new Map([
  ...migrations.map((step, at): [string, string] => {
    const { expand, contract = [] } = step(schema);
    return [`${at + 1}.sql`, textOf([...expand, ...contract])];
  }),
  [`${migrations.length}-functions.sql`, textOf(installedFunctions(schema))],
]);

describe("the SQL of the schema versions of Postgres", () => {
  it.each([...files])("is the text of the file %s", (name, sql) => {
    const file = new URL(name, folder);
    if (process.env.UPDATE_SCHEMA_VERSIONS === "1" && !(isReleased && snapshots.has(name))) writeFileSync(file, sql);
    expect(sql, `This SQL differs from ${file.pathname}. ${advice}`).toBe(readText(file));
  });

  it("is in these files, and there are no others", () => {
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort());
  });
});

function textOf(statements: readonly string[]): string {
  return `${statements.join(";\n\n")};\n`;
}

function readText(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return `(there is no such file; to write it, run ${command})`;
  }
}
