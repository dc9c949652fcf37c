import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOlder } from "../bootstrap/node-version.mjs";
import { doorsOf } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { runNode } from "./run.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const compilers = ["typescript5", "typescript", "typescript7"];
const plain = ["plain.mjs", "plain.cjs"];
const typed = ["typed.mts", "typed.cts"];

/** Compiles every door, and two applications that use the packages, with each TypeScript. The last output is run later. */
export function compile(root: string, project: string, packages: readonly Manifest[]): void {
  cpSync(fixtures, project, { recursive: true });
  const doors = packages.flatMap(doorsOf);
  const lines = doors.map((door, index) => `export * as door${index} from ${JSON.stringify(door)};\n`);
  writeFileSync(join(project, "doors.mts"), lines.join(""));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2024", "esnext.disposable"],
    types: ["node"],
  };
  // The declarations of the doors must compile without `skipLibCheck`; those of the client libraries sometimes do not.
  const programs = [
    { name: "doors.json", files: ["doors.mts"], compilerOptions: { ...compilerOptions, skipLibCheck: false } },
    { name: "typed.json", files: typed, compilerOptions: { ...compilerOptions, skipLibCheck: true } },
  ];
  for (const { name, ...config } of programs) writeFileSync(join(project, name), JSON.stringify(config));
  for (const compiler of compilers) {
    const program = join(root, "node_modules", compiler, "bin/tsc");
    for (const { name } of programs) runNode([program, "-p", name], { cwd: project });
    const version = runNode([program, "--version"], { cwd: project, silent: true }).replace("Version ", "").trim();
    console.log(`TypeScript ${version}: compiled every door and ${typed.length} uses`);
  }
}

/** Loads the packages that support this Node, by import and by require; if all do, also runs the applications. */
export function runOn(node: string, project: string, packages: readonly Manifest[]): void {
  const options = { cwd: project, node, silent: true };
  const version = runNode(["-p", "process.versions.node"], options).trim();
  const loadable = packages.filter(({ engines }) => !isOlder(version, (engines?.node ?? "").replace(/^>=/, "")));
  const doors = loadable.flatMap(doorsOf).map((door) => JSON.stringify(door));
  writeFileSync(join(project, "load.mjs"), doors.map((door) => `import ${door};\n`).join(""));
  writeFileSync(join(project, "load.cjs"), doors.map((door) => `require(${door});\n`).join(""));
  runNode(["load.mjs"], options);
  runNode(["load.cjs"], options);
  if (loadable.length < packages.length) {
    const others = packages.filter((each) => !loadable.includes(each)).map(({ name }) => name);
    console.log(`Node ${version}: ${doors.length} doors imported and required; not supported: ${others.join(", ")}`);
    return;
  }
  for (const program of loadable.flatMap(({ bin = {} }) => Object.keys(bin))) {
    runNode([join("node_modules/.bin", program), "--help"], options);
  }
  for (const file of [...plain, ...typed.map((source) => source.replace("ts", "js"))]) {
    const printed = runNode([file], options).trim();
    if (printed !== "receipt for 4200 cents")
      throw new Error(`${file} must print "receipt for 4200 cents" on Node ${version}; got ${printed}`);
  }
  console.log(`Node ${version}: ${doors.length} doors imported and required, ${plain.length + typed.length} uses`);
}
