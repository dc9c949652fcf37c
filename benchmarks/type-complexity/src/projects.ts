import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "./program.ts";
import type { Scenario } from "./scenarios/all.ts";

/** Folders with generated programs, each ready to be compiled. */
export interface Projects {
  /** Writes the program of a scenario, with or without the planted mistake. Returns its folder and the line of the mistake. */
  write(scenario: Scenario, mistake: boolean): Project;
  /** One program of the files of several: a start of the compiler is most of what a small scenario takes. */
  join(projects: readonly Project[]): Project;
  /** Removes all that was written. */
  remove(): void;
}

export interface Project {
  readonly folder: string;
  readonly file: string;
  readonly text: string;
  readonly mistakeLine: number | undefined;
}

/** @param declarations the `index.d.ts` that programs see as `chainwright`. */
export function createProjects(declarations: string): Projects {
  const root = mkdtempSync(join(tmpdir(), "chainwright-types-"));
  const typeRoots = [dirname(dirname(fileURLToPath(import.meta.resolve("@types/node/package.json"))))];
  return {
    write(scenario, mistake) {
      const folder = join(root, `${scenario.name}${mistake ? " wrong" : ""}`.replaceAll(" ", "-"));
      const { text, mistakeLine } = programOf(scenario, mistake);
      const file = join(folder, "index.ts");
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, text);
      writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: compilerOptions(declarations, typeRoots), files: ["index.ts"] }),
      );
      return { folder, file, text, mistakeLine };
    },
    join(projects) {
      const folder = join(root, "together");
      const file = join(folder, "tsconfig.json");
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        file,
        JSON.stringify({
          compilerOptions: compilerOptions(declarations, typeRoots),
          files: projects.map((project) => project.file),
        }),
      );
      return { folder, file, text: "", mistakeLine: undefined };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A strict application's. */
function compilerOptions(declarations: string, typeRoots: readonly string[]): object {
  return {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    types: ["node"],
    typeRoots,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    paths: { chainwright: [declarations] },
  };
}
