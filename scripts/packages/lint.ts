import { createRequire } from "node:module";
import { join } from "node:path";
import { complaintsAbout } from "./published.ts";
import { runNode } from "./run.ts";
import { complaintAboutSize } from "./sizes.ts";
import { filesIn } from "./tarball.ts";
import type { Tarball } from "./tarball.ts";

/** Checks a tarball with publint, attw, and the rules of this repository. */
export function lint(root: string, tarball: Tarball): void {
  const { published, path, bytes } = tarball;
  const complaints = complaintsAbout(published, filesIn(tarball));
  const size = complaintAboutSize(published.name, bytes.length);
  if (size !== undefined) complaints.push(size);
  if (complaints.length > 0) throw new Error(`${published.name}:\n  ${complaints.join("\n  ")}`);

  const options = { cwd: root, silent: true };
  runNode([programOf(root, "publint"), "run", "--strict", path], options);
  // The packages are ES modules. Another check loads them from CommonJS.
  runNode([programOf(root, "@arethetypeswrong/cli"), "--profile", "esm-only", "--format", "ascii", path], options);
  console.log(
    `${published.name} ${published.version}: ${(bytes.length / 1_000).toFixed(1)} KB, publint and attw clean`,
  );
}

function programOf(root: string, name: string): string {
  const require = createRequire(join(root, "package.json"));
  const folder = join(root, "node_modules", name);
  const { bin } = require(join(folder, "package.json")) as { bin: string | Record<string, string> };
  const file = typeof bin === "string" ? bin : Object.values(bin)[0];
  if (file === undefined) throw new Error(`${name} has no program`);
  return join(folder, file);
}
