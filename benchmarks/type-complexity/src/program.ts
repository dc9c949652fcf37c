import { handlerText } from "./handler-text.ts";
import type { JobType, Slice } from "./job-type.ts";
import { inlineStart, ownField, typeText, valueText } from "./payload-text.ts";
import { countTypes, type Scenario } from "./scenarios/all.ts";

/** A generated program and the line of the mistake planted in it. */
export interface Program {
  readonly text: string;
  readonly mistakeLine: number | undefined;
}

/**
 * The program of a scenario, with the whole surface in use: definitions, a client, middleware, a handler for every type, a
 * worker, and the client's calls. With `mistake`, the last handler reads a property that its input has not.
 */
export function programOf(scenario: Scenario, mistake = false): Program {
  const { slices } = scenario;
  const types = new Map(slices.flatMap((slice) => slice.types).map((type) => [type.name, type]));
  if (types.size !== countTypes(scenario)) throw new Error(`${scenario.name} has a name twice`);
  const typeNamed = (name: string): JobType => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`${scenario.name} has no type ${name}`);
    return type;
  };
  const last = slices.at(-1)?.types.at(-1);
  const text = [
    scenario.versioned === true
      ? imports.replace("defineJobTypes,", "defineJobTypes, defineVersions, stored,")
      : imports,
    ...slices.map(definitionText),
    ...(scenario.versioned === true ? slices.map(versionsText) : []),
    clientText(scenario),
    middlewareText,
    ...slices.map((slice) => processorsText(slice, typeNamed, mistake ? last : undefined)),
    workerText(slices),
    ...slices.slice(0, 1).map((slice) => callsText(slice, typeNamed)),
    scenario.unnarrowed === true ? unnarrowedText : "",
  ].join("\n");
  const line = text.split("\n").findIndex((candidate) => candidate.includes("noSuchProperty")) + 1;
  return { text, mistakeLine: line === 0 ? undefined : line };
}

const imports = `import {
  createClient, createInProcessNotifyAdapter, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes,
  type Middleware,
} from "chainwright";
`;

function definitionText(slice: Slice): string {
  const external = slice.external === undefined ? "" : `, typeof ${slice.external}`;
  return `const ${slice.name} = defineJobTypes<{\n${slice.types.map(typeLine).join("\n")}\n}${external}>();\n`;
}

function typeLine(type: JobType): string {
  const targets = type.structural
    ? `{ input: { id: string; path: string } }`
    : type.continueWith.map((name) => `"${name}"`).join(" | ");
  return [
    `  "${type.name}": {`,
    type.entry ? " entry: true;" : "",
    ` input: ${typeText(type.input)};`,
    type.output === undefined ? "" : ` output: ${typeText(type.output)};`,
    type.continueWith.length === 0 ? "" : ` continueWith: ${targets};`,
    type.shape === undefined ? "" : ` continueWith: { input: ${typeText(type.shape)} };`,
    type.blockers.length === 0 ? "" : ` blockers: [${type.blockers.map((name) => `"${name}"`).join(", ")}];`,
    type.signals ? ` signals: ${signalsText(type)};` : "",
    " };",
  ].join("");
}

function signalsText({ input }: JobType): string {
  return `{ approved: { by: string; ${ownField(input)}: number }; rejected: { reason: string }; later: { days: number } }`;
}

/** Two versions of each input: the first one lacks the last property. */
function versionsText({ name, types }: Slice): string {
  const ladders = types.map(({ name: typeName, input }) => {
    const own = ownField(input);
    const { [own]: added, ...first } = input;
    const value = added === "string" ? `""` : "0";
    return `  "${typeName}": stored<${typeText(first)}>().then((v1) => ({ ...v1, ${own}: ${value} })),`;
  });
  return `const ${name}Versions = defineVersions({ jobTypes: ${name}, inputs: {\n${ladders.join("\n")}\n} });\n`;
}

function clientText({ slices, versioned }: Scenario): string {
  const [first] = slices;
  const jobTypes = slices.length === 1 ? first?.name : `[${slices.map((slice) => slice.name).join(", ")}]`;
  return `const client = createClient({
  stateAdapter: createInProcessStateAdapter(),
  notifyAdapter: createInProcessNotifyAdapter(),
  jobTypes: ${jobTypes},${versioned === true ? `\n  versions: [${slices.map(({ name }) => `${name}Versions`).join(", ")}],` : ""}
});
`;
}

const middlewareText = `const timed: Middleware<{ elapsedMs: () => number }> = async (attempt, next) => {
  const startedAt = performance.now();
  void attempt.job.typeName;
  return next({ elapsedMs: () => performance.now() - startedAt });
};
`;

function processorsText(slice: Slice, typeNamed: (name: string) => JobType, mistaken: JobType | undefined): string {
  const handlers = slice.types.map((type) => handlerText(type, typeNamed, type === mistaken)).join("\n");
  return `const ${slice.name}Processors = createProcessors({
  client,
  jobTypes: ${slice.name},
  middleware: [timed],
  processors: {
${handlers}
  },
});
`;
}

function workerText(slices: readonly Slice[]): string {
  return `const worker = createWorker({ client, processors: [${slices.map((slice) => `${slice.name}Processors`).join(", ")}] });
await worker.start();
`;
}

/** The client's calls, on the first entry type. */
function callsText(slice: Slice, typeNamed: (name: string) => JobType): string {
  const entry = slice.types.find((type) => type.entry);
  if (entry === undefined) throw new Error("a scenario without an entry");
  const name = `typeName: "${entry.name}"`;
  const input = valueText(entry.input);
  const [next] = entry.continueWith;
  const finish =
    next === undefined
      ? `client.completeChain({ id: started.id, ${name}, output: ${valueText(entry.output ?? {})} })`
      : `client.continueChain({ id: started.id, ${name}, with: ${inlineStart(typeNamed(next), typeNamed)} })`;
  return `const started = await client.startChain({ ${name}, input: ${input} });
const [together] = await client.startChains({ items: [{ ${name}, input: ${input} }] });
const chain = await client.getChain({ id: started.id, ${name} });
const job = await client.getJob({ id: String(started.id), ${name} });
const chains = await client.listChains({ ${name} });
const jobs = await client.listJobs({ ${name} });
const ended = await client.awaitChain(started, { timeoutMs: 1_000 });
void [together.input, chain?.input, job?.input, chains.items, jobs.items, ended.output];
await ${finish};
await client.transaction(async (tx) => {
  await client.startChain({ tx, ${name}, input: ${input} });
});
await client.retryChain({ id: started.id, ${name}, input: ${input} });
await client.cancelChain({ id: started.id });
await worker.stop();
`;
}

const unnarrowedText = `const anyChain = await client.getChain({ id: started.id });
const anyJob = await client.getJob({ id: String(started.id) });
void [anyChain?.typeName, anyJob?.typeName];
`;
