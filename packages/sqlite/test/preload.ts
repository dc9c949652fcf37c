import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Undefined: nothing can be put between a process and its disk here, because it needs Linux and a C compiler (cc). */
export function findCompiler(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const command = process.env["CC"] ?? "cc";
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return command;
  } catch {
    return undefined;
  }
}

/** Compiles a C file of the `fixtures` folder for LD_PRELOAD, and returns its path. */
export function preloadable(name: string, folder: string): string {
  const library = join(folder, `${name}.so`);
  const source = fileURLToPath(new URL(`fixtures/${name}.c`, import.meta.url));
  const flags = ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"];
  execFileSync(findCompiler() ?? "cc", flags, { stdio: "inherit" });
  return library;
}
