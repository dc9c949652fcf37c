import { writeFileSync } from "node:fs";
import { describeMachine } from "./machine.ts";
import { measure, type Measurement } from "./measure.ts";
import { measureCompletion, type CompletionFigure } from "./completion.ts";
import { builtDeclarations } from "./declarations.ts";
import { createProjects } from "./projects.ts";
import { formatCompletion, formatMeasurements } from "./report.ts";
import { scenarios } from "./scenarios/all.ts";
import { readSettings } from "./settings.ts";

const settings = readSettings(process.argv);
const machine = describeMachine();
console.log(`${machine.processor}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load.toFixed(2)}`);

const wanted = scenarios.filter(
  ({ name }) => settings.only.length === 0 || settings.only.some((part) => isMeant(name, part)),
);
const declarations = await builtDeclarations(settings.build);
const projects = createProjects(declarations);
const measurements: Measurement[] = [];
let completion: readonly CompletionFigure[] = [];
try {
  for (const [index, scenario] of wanted.entries()) {
    for (const compiler of settings.compilers) {
      show(`${index + 1} of ${wanted.length}: ${scenario.name} with TypeScript ${compiler.version}`);
      measurements.push(await measure(projects, scenario, compiler, settings.repeat));
    }
  }
  const largest = wanted.find(({ name }) => name === "merge 50 x 50");
  if (settings.completion && largest !== undefined) {
    show("completion in the editor, 2,500 types");
    completion = await measureCompletion(projects, largest, settings.compilers);
  }
} finally {
  show("");
  projects.remove();
}

console.log(formatMeasurements(measurements));
if (completion.length > 0) console.log(formatCompletion(completion));
const wrong = measurements.filter((measurement) => measurement.errors > 0 || !measurement.mistakeCaught);
for (const { scenario, compiler, errors, firstError } of wrong) {
  console.error(
    errors > 0
      ? `${scenario} has ${errors} errors with TypeScript ${compiler}: ${firstError}`
      : `the mistake planted in ${scenario} went unseen by TypeScript ${compiler}`,
  );
}
if (settings.json !== undefined) {
  writeFileSync(settings.json, `${JSON.stringify({ machine, measurements, completion }, undefined, 2)}\n`);
}
if (wrong.length > 0 || measurements.length === 0) process.exitCode = 1;

/** By its name, or else by a part of it. */
function isMeant(name: string, part: string): boolean {
  return scenarios.some((scenario) => scenario.name === part) ? name === part : name.includes(part);
}

function show(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${step}`);
}
