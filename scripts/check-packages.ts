// Packs every public package and looks at the tarballs as their users will: publint, attw, import, require, and the types
// compiled without the workspace around them. Run after a build: npm run packages
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly tarball: string;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "chainwright-packages-"));
const modules = join(work, "node_modules");

try {
  const packed = publicPackages().map(pack);
  for (const each of packed) lint(each);
  for (const each of packed) unpack(each);
  for (const each of packed) linkDependencies(each);
  const doors = packed.flatMap(doorsOf);
  load(doors);
  compile(doors);
  console.log(`${packed.length} packages, ${doors.length} doors: packed, linted, imported, required and compiled`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function publicPackages(): { folder: string; manifest: Manifest }[] {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: manifestIn(folder) }))
    .filter(({ manifest }) => manifest.private !== true);
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function pack({ folder, manifest }: { folder: string; manifest: Manifest }): Packed {
  const tarball = join(work, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
  run([join(root, "scripts/bootstrap.mjs"), "pnpm", "--dir", folder, "pack", "--out", tarball]);
  return { folder, manifest, tarball };
}

function lint({ manifest, tarball }: Packed): void {
  console.log(`\n${manifest.name} ${manifest.version}`);
  run([binaryOf("publint"), "run", "--strict", tarball]);
  // The packages are ES modules; `load` shows that CommonJS gets them too.
  run([binaryOf("@arethetypeswrong/cli"), "--profile", "esm-only", "--format", "ascii", "--no-summary", tarball]);
}

function unpack({ manifest, tarball }: Packed): void {
  const folder = join(modules, manifest.name);
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  const published = JSON.stringify(manifestIn(folder));
  if (/workspace:|catalog:|@chainwright\/source|\/src\//.test(published)) {
    throw new Error(`${manifest.name}: the published manifest still speaks of the workspace: ${published}`);
  }
  if (!existsSync(join(folder, "LICENSE"))) throw new Error(`${manifest.name}: no LICENSE in the tarball`);
}

/** What an application would have installed beside it: the clients that the packages name as peers, and their types. */
function linkDependencies({ folder, manifest }: Packed): void {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  for (const name of [...names, ...names.map((peer) => `@types/${peer}`)]) {
    const source = join(folder, "node_modules", name);
    const target = join(modules, name);
    if (!existsSync(source) || existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(realpathSync(source), target);
  }
}

function doorsOf({ manifest }: Packed): string[] {
  return Object.keys(manifest.exports).map((door) => join(manifest.name, door).replaceAll("\\", "/"));
}

function load(doors: readonly string[]): void {
  const each = (how: string) => doors.map((door) => `${how}(${JSON.stringify(door)})`);
  writeFileSync(join(work, "load.mjs"), `await Promise.all([${each("import").join(", ")}]);\n`);
  writeFileSync(join(work, "load.cjs"), `${each("require").join(";\n")};\n`);
  run([join(work, "load.mjs")]);
  run(["--disable-warning=ExperimentalWarning", join(work, "load.cjs")]);
}

/** With `skipLibCheck` off: the declarations have to stand on their own. */
function compile(doors: readonly string[]): void {
  const lines = doors.map((door, index) => `export * as door${index} from ${JSON.stringify(door)};`);
  writeFileSync(join(work, "consumer.mts"), `${lines.join("\n")}\n`);
  mkdirSync(join(modules, "@types"), { recursive: true });
  symlinkSync(realpathSync(join(root, "node_modules/@types/node")), join(modules, "@types/node"));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2024", "esnext.disposable"],
    types: ["node"],
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.mts"] }));
  for (const compiler of ["typescript", "typescript7"]) {
    run([join(root, "node_modules", compiler, "bin/tsc"), "-p", work]);
  }
}

function binaryOf(name: string): string {
  const require = createRequire(import.meta.url);
  const folder = join(root, "node_modules", name);
  const { bin } = require(join(folder, "package.json")) as { bin: string | Record<string, string> };
  const file = typeof bin === "string" ? bin : Object.values(bin)[0];
  if (file === undefined) throw new Error(`${name} has no program`);
  return join(folder, file);
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: work, stdio: ["ignore", "inherit", "inherit"] });
}
