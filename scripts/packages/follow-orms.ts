import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { provideBackend } from "@chainwright/backends";
import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { isOlder } from "../bootstrap/node-version.mjs";
import { installByName, link } from "./empty-project.ts";
import { runNode } from "./run.ts";
import type { Tarball } from "./tarball.ts";

const postgres = ["chainwright", "@chainwright/postgres", "pg"];
const sqlite = ["chainwright", "@chainwright/sqlite", "better-sqlite3"];

/** The programs of `examples/orms`, and what an application on each ORM installs. */
const installed: Readonly<Record<string, readonly string[]>> = {
  drizzle: [...postgres, "drizzle-orm"],
  kysely: [...postgres, "kysely"],
  knex: [...postgres, "knex"],
  prisma: [...postgres, "@prisma/client", "@prisma/adapter-pg"],
  "drizzle-sqlite": [...sqlite, "drizzle-orm"],
  "kysely-sqlite": [...sqlite, "kysely"],
};

const printed = "[\n  { id: 'A-1', receipt: '4200 cents' },\n  { id: 'A-2', receipt: '900 cents' }\n]\n";

/** Installs the packages beside each ORM in an empty folder, and compiles and runs its example there on a real database. */
export async function followOrms(root: string, tarballs: readonly Tarball[], folder: string): Promise<void> {
  if (isOlder(process.versions.node, "22.18")) {
    console.log(`the ORMs: not tried, because Node ${process.versions.node} does not run TypeScript`);
    return;
  }
  const server = await provideBackend("postgres");
  try {
    for (const [name, packages] of Object.entries(installed)) {
      const project = join(folder, name);
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
      installByName(packages, tarballs, project);
      link(join(root, "node_modules/@types/node"), join(project, "node_modules/@types/node"));
      copyExample(join(root, "examples/orms/src"), project, name);
      await withFreshDatabase(server.url, async (url) => run(root, project, { name, url }));
    }
  } finally {
    await server.server?.stop();
  }
  console.log(`the ORMs: installed, compiled and run with ${Object.keys(installed).join(", ")}`);
}

function copyExample(source: string, project: string, name: string): void {
  for (const file of ["order.ts", `${name}.ts`]) copyFileSync(join(source, file), join(project, file));
  if (name === "prisma") cpSync(join(source, "generated"), join(project, "generated"), { recursive: true });
}

function run(root: string, project: string, { name, url }: { readonly name: string; readonly url: string }): void {
  const target = ["--module", "nodenext", "--target", "es2023", "--lib", "es2024,esnext.disposable", "--types", "node"];
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", ...target];
  runNode([join(root, "node_modules/typescript7/bin/tsc"), ...options, `${name}.ts`], { cwd: project, silent: true });
  const output = runNode([`${name}.ts`], { cwd: project, silent: true, environment: { POSTGRES_URL: url } });
  if (output !== printed) throw new Error(`${name}.ts of examples/orms must print:\n${printed}\ngot:\n${output}`);
}
