import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fencesOf, type Fence } from "../../tooling/fences.ts";
import { root } from "./root.ts";

/**
 * Returns the errors of a page outside of its TypeScript, one line each: a language that nothing checks, a shell command that does
 * not parse, a missing script of this repository. (Tests run the SQL and compare the output of programs.)
 */
export function complaintsAbout(file: string, markdown: string): readonly string[] {
  return [
    ...fencesOf(markdown).flatMap((fence) =>
      complaintsAboutFence(fence).map((each) => `${file}:${fence.line} ${each}`),
    ),
    ...missingScripts(markdown).map((each) => `${file}: npm has no script ${each}`),
  ];
}

const checked: ReadonlySet<string> = new Set(["ts", "sh", "sql", "text", ""]);

function complaintsAboutFence({ language, code }: Fence): readonly string[] {
  if (!checked.has(language)) return [`is in ${language}, which nothing checks`];
  if (language !== "sh") return [];
  const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
  const gone = (code.match(/(?<=\s)(?:examples|scripts|benchmarks|tests)\/\S+/g) ?? []).filter(
    (path) => !existsSync(join(root, path)),
  );
  return [...(status === 0 ? [] : [stderr.trim()]), ...gone.map((path) => `names ${path}, which does not exist`)];
}

/** Scripts that fences or prose name. */
function missingScripts(markdown: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly scripts: object };
  const named = markdown.matchAll(/\b(?:npm (?:run |(?=test\b))|pnpm (?=bench:))([\w:-]+)/g);
  return Array.from(named, ([, name = ""]) => name).filter((name) => !(name in scripts));
}
