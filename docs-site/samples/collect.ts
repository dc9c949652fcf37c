import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { samplesOfDocstrings, samplesOfPage, type Sample } from "./extract.ts";
import { doors } from "./doors.ts";
import { exportsOf, moduleOf, type Offer, type SampleModule } from "./module.ts";
import { root } from "./root.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "docs-site/**/*.md",
  "{packages,examples,benchmarks,tests}/**/README.md",
];
const sources = ["packages/*/src/**/*.ts"];
const unwanted = (path: string) => /node_modules|docs-site\/(reference|generated)/.test(path);

export interface CollectedSample {
  readonly sample: Sample;
  readonly module: SampleModule;
}

/** A page of the documentation. */
export interface Page {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly markdown: string;
}

/** The pages of the site, and every README. */
export function collectPages(): readonly Page[] {
  return filesOf(pages).map((file) => ({ file, markdown: read(file) }));
}

/** Every sample of the repository, as a module. */
export function collectSamples(): readonly CollectedSample[] {
  const found = [
    ...collectPages().flatMap(({ file, markdown }) => samplesOfPage(file, markdown)),
    ...filesOf(sources).flatMap((path) => samplesOfDocstrings(path, read(path))),
  ];
  const offers = new Map<string, readonly Offer[]>();
  const offersOf = (context: string): readonly Offer[] => {
    const known = offers.get(context) ?? [
      {
        from: `../../samples/contexts/${context}.ts`,
        names: exportsOf(read(`docs-site/samples/contexts/${context}.ts`)),
      },
      // A docstring is beside the name that it explains, so it needs no import.
      ...(context === "docstrings"
        ? doors().map(({ name, source }) => ({ from: name, names: exportsOf(read(source)) }))
        : []),
    ];
    offers.set(context, known);
    return known;
  };
  return found.map((sample) => ({
    sample,
    module: moduleOf(sample, sample.context === undefined ? [] : offersOf(sample.context)),
  }));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function filesOf(patterns: readonly string[]): readonly string[] {
  return globSync(patterns, { cwd: root, exclude: unwanted })
    .filter((path) => !unwanted(path))
    .sort();
}
