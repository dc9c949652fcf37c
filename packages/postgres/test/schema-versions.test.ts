import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { migrations } from "../src/migrations.ts";
import { schemaOf } from "../src/schema.ts";

/*
 * The SQL that creates each schema version. Databases that have a version keep what it installed, so once a version is released its
 * SQL must never change.
 */

const folder = new URL("schema-versions/", import.meta.url);
const command = "UPDATE_SCHEMA_VERSIONS=1 npx vitest run packages/postgres/test/schema-versions.test.ts";
const isReleased = !/"version": "0\./.test(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const advice = isReleased
  ? "This version is released: databases have it, and migrate() does not run its statements again. Undo the change of the SQL; " +
    "add a step to `migrations` in src/migrate.ts instead, and give changed functions a new name (_v2)."
  : `Before 1.0 a version may change. If the change is intended, run \`${command}\` and commit the file. ` +
    "Databases of earlier builds then have to be created again.";

const snapshots = new Set(readdirSync(folder));

describe("the SQL of each schema version of Postgres", () => {
  it.each(migrations.map((step, at) => ({ version: at + 1, step })))(
    "of version $version is the text of its file",
    ({ version, step }) => {
      const file = new URL(`${version}.sql`, folder);
      const { expand, contract = [] } = step(schemaOf("chainwright"));
      const sql = `${[...expand, ...contract].join(";\n\n")};\n`;
      const isKnown = snapshots.has(`${version}.sql`);
      if (process.env.UPDATE_SCHEMA_VERSIONS === "1" && !(isReleased && isKnown)) writeFileSync(file, sql);
      expect(sql, `The SQL of schema version ${version} differs from ${file.pathname}. ${advice}`).toBe(readText(file));
    },
  );

  it("is in one file for each version, and there are no other files", () => {
    expect(readdirSync(folder).sort()).toEqual(migrations.map((_, at) => `${at + 1}.sql`).sort());
  });
});

function readText(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return `(there is no such file; to write it, run ${command})`;
  }
}
