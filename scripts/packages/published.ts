import type { Manifest } from "./manifest.ts";

/** Checks the rules for a published package that publint and attw do not check; returns a line for each broken rule. */
export function complaintsAbout(manifest: Manifest, files: readonly string[]): string[] {
  return [
    ...aboutManifest(manifest),
    ...aboutDependencies(manifest),
    ...Object.entries(manifest.exports).flatMap(([door, target]) => aboutDoor(door, target, files)),
    ...aboutFiles(manifest, files),
    ...aboutNode10(manifest),
  ];
}

/** TypeScript with `moduleResolution: node10` does not read `exports`. */
function aboutNode10({ exports, main, types, typesVersions }: Manifest): string[] {
  const expected = Object.entries(exports).map(([door, target]) => [door, typesOf(target)] as const);
  const beside = Object.entries(typesVersions?.["*"] ?? {});
  return [
    ...(types !== undefined && types === typesOf(exports["."]) ? [] : ["its types are not those of its door ."]),
    ...(main !== undefined ? [] : ["has no main"]),
    ...expected
      .filter(([door]) => door !== ".")
      .filter(([door, file]) => beside.find(([name]) => `./${name}` === door)?.[1][0] !== file)
      .map(([door]) => `its door ${door} is not in typesVersions, as "moduleResolution": "node10" needs it`),
  ];
}

function typesOf(target: unknown): unknown {
  return typeof target === "object" && target !== null && "types" in target ? target.types : undefined;
}

function aboutManifest(manifest: Manifest): string[] {
  const needed = ["description", "license", "files", "engines"] as const;
  return [
    ...needed.filter((field) => manifest[field] === undefined).map((field) => `has no field ${field}`),
    ...(manifest.type === "module" ? [] : [`is of type ${String(manifest.type)}, not module`]),
    ...(/workspace:|catalog:|@chainwright\/source|\/src\//.test(JSON.stringify(manifest))
      ? ["its manifest refers to the workspace"]
      : []),
  ];
}

/** The core has no dependencies; the other packages have the core as a peer. */
function aboutDependencies({ name, dependencies = {}, peerDependencies = {} }: Manifest): string[] {
  const inCore = name === "chainwright" ? Object.keys({ ...dependencies, ...peerDependencies }) : [];
  return [
    ...inCore.map((dependency) => `depends on ${dependency}, and the core depends on nothing`),
    ...(name === "chainwright" || "chainwright" in peerDependencies ? [] : ["has no peer chainwright"]),
  ];
}

/** The condition `types` comes first, because the first condition that applies is used. */
function aboutDoor(door: string, target: unknown, files: readonly string[]): string[] {
  if (typeof target !== "object" || target === null) return [`its door ${door} has no types`];
  const conditions = Object.keys(target).join(", ");
  return [
    ...(conditions === "types, default" ? [] : [`its door ${door} has the conditions ${conditions}`]),
    ...Object.values(target)
      .map(String)
      .filter((file) => !files.includes(file.replace(/^\.\//, "")))
      .map((file) => `its door ${door} names ${file}, which is not packed`),
  ];
}

function aboutFiles({ files: allowed = [] }: Manifest, files: readonly string[]): string[] {
  const always = ["package.json", "LICENSE", "README.md", "CHANGELOG.md"];
  const mayBePacked = (file: string) =>
    always.includes(file) || allowed.some((entry) => file === entry || file.startsWith(`${entry}/`));
  return [
    ...always.filter((file) => !files.includes(file)).map((file) => `has no ${file}`),
    ...files.filter((file) => !mayBePacked(file)).map((file) => `packs ${file}`),
    ...files.filter((file) => /\.(?:test|test-d)\.|\/fixtures\//.test(file)).map((file) => `packs the test ${file}`),
  ];
}
