import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The folders of tests by the name of their area, as in `npm test -- sqlite`.
 *
 * @param {string} root
 * @returns {Record<string, string>}
 */
export function areasOf(root) {
  const areas = ["packages", "tests"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .filter((name) => existsSync(join(root, parent, name, "test")))
      .map((name) => [name, `${parent}/${name}`]),
  );
  return {
    ...Object.fromEntries(areas),
    benchmarks: "benchmarks",
    docs: "docs-site",
    examples: "examples",
    scripts: "scripts",
  };
}

/**
 * Arguments for the test runner: names of areas become their folders, paths and options stay as they are.
 *
 * @param {string[]} args
 * @param {Record<string, string>} areas
 * @returns {string[]}
 */
export function testArguments(args, areas) {
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const names = firstOption === -1 ? args : args.slice(0, firstOption);
  const paths = names.map((name) => {
    const folder = areas[name];
    if (folder !== undefined) return `${folder}/`;
    if (/[/\\.]/.test(name)) return name;
    const known = Object.keys(areas).sort().join(", ");
    throw new Error(`the area must be one of ${known}; got "${name}". To name a path, write at least one "/" or ".".`);
  });
  return [...paths, ...args.slice(names.length)];
}
