import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));
const file = join(fixtures, "in-the-editor.ts");
const preamble = `import { createProcessors } from "chainwright";
import { client, orderJobTypes as jobTypes } from "./orders.ts";
`;

describe("the completions of an editor", () => {
  const handler = (type: string, text: string) =>
    `createProcessors({ client, jobTypes, processors: { "${type}": ${text} } });`;
  const entries = ["order.place", "stock.reserve", "fraud.check"];
  const names = [...entries, "order.charge", "order.refund"];
  it.each([
    { where: "the type of a start", text: `client.startChain({ typeName: "|" })`, offers: entries },
    {
      where: "a start's options",
      text: `client.startChain({ typeName: "order.place", | })`,
      offers: [
        "input",
        "tx",
        "id",
        "schedule",
        "priority",
        "pool",
        "deduplication",
        "debounce",
        "throttle",
        "tags",
        "deadline",
        "signals",
      ],
    },
    {
      where: "a start's input",
      text: `client.startChain({ typeName: "order.place", input: { | } })`,
      offers: ["orderId"],
    },
    { where: "one of several starts", text: `client.startChains({ items: [{ typeName: "|" }] })`, offers: entries },
    { where: "the type of a list", text: `client.listJobs({ typeName: ["|"] })`, offers: names },
    {
      where: "an output from outside",
      text: `client.completeChain({ id: "", typeName: "fraud.check", output: { | } })`,
      offers: ["score"],
    },
    {
      where: "a target from outside",
      text: `client.continueChain({ id: "", typeName: "order.charge", with: { typeName: "|" } })`,
      offers: ["order.charge", "order.refund"],
    },
    {
      where: "the names of processors",
      text: `createProcessors({ client, jobTypes, processors: { "|": 1 } })`,
      offers: names,
    },
    {
      where: "a processor's options",
      text: handler("order.place", "{ | }"),
      offers: ["handler", "batch", "retry", "timeoutMs", "leaseMs"],
    },
    {
      where: "what a handler is given",
      text: handler("order.place", "async ({ | }) => {}"),
      offers: ["job", "signal", "prepare", "complete", "continueWith", "once", "log", "reschedule", "holdKey"],
    },
    {
      where: "an input",
      text: handler("order.charge", "async ({ job }) => job.input.|"),
      offers: ["orderId", "cents"],
    },
    {
      where: "a blocker's output",
      text: handler("order.charge", "async ({ job }) => job.blockers[0].output.|"),
      offers: ["reserved"],
    },
    {
      where: "the target of a continuation",
      text: handler("order.charge", `async ({ continueWith }) => continueWith({ typeName: "|" })`),
      offers: ["order.charge", "order.refund"],
    },
    {
      where: "the input of a blocked continuation",
      text: handler(
        "order.place",
        `async ({ continueWith }) => continueWith({ typeName: "order.charge", input: { | } })`,
      ),
      offers: ["orderId", "cents"],
    },
    {
      where: "the type of a blocker",
      text: handler(
        "order.place",
        `async ({ continueWith }) => continueWith({ typeName: "order.charge", blockers: [{ typeName: "|" }] })`,
      ),
      offers: ["stock.reserve"],
    },
    { where: "a returned output", text: handler("fraud.check", "async ({ job }) => ({ | })"), offers: ["score"] },
    {
      where: "an output in complete",
      text: handler("fraud.check", "async ({ complete }) => complete(async () => ({ | }))"),
      offers: ["score"],
    },
  ])("$where", ({ text, offers }) => {
    const { service, position } = open(text);
    const completions = service.getCompletionsAtPosition(file, position, {});
    expect(completions?.entries.map((entry) => entry.name).toSorted()).toEqual(offers.toSorted());
  });
});

describe("what an editor shows for a name", () => {
  const inHandler = (text: string) =>
    `createProcessors({ client, jobTypes, processors: { "order.charge": async ({ job }) => { ${text} } } });`;
  it.each([
    {
      name: "an input",
      text: inHandler("const | read = job.input;"),
      shows: "const read: {\n    orderId: string;\n    cents: number;\n}",
    },
    {
      name: "a blocker",
      text: inHandler("const | stock = job.blockers[0];"),
      shows: `const stock: CompletedBlocker<"stock.reserve", {\n    sku: string;\n}, {\n    reserved: number;\n}>`,
    },
    {
      name: "a handler's context",
      text: `createProcessors({ client, jobTypes, processors: { "order.refund": async (| context) => ({ refunded: true }) } });`,
      shows: `(parameter) context: HandlerContext<Job<"order.refund", {\n    orderId: string;\n}, readonly []>, InProcessTransaction, {\n    refunded: true;\n}, ContinueNowhere<"order.refund">>`,
    },
    {
      name: "a chain's output",
      text: `const | output = (await client.awaitChain({ id: "", typeName: "order.place" })).output;`,
      shows: "const output: {\n    receipt: string;\n} | {\n    refunded: true;\n}",
    },
    {
      name: "a chain read by its type",
      text: `const | chain = await client.getChain({ id: "", typeName: "order.place" });`,
      shows: `const chain: Chain<"order.place", {\n    orderId: string;\n}, {\n    receipt: string;\n} | {\n    refunded: true;\n}> | undefined`,
    },
    {
      name: "jobs of several types",
      text: `const | job = (await client.listJobs({ typeName: ["order.refund", "fraud.check"] })).items[0];`,
      shows: `const job: StoredJob<"order.refund", {\n    orderId: string;\n}, {\n    refunded: true;\n}> | StoredJob<"fraud.check", {\n    orderId: string;\n}, {\n    score: number;\n}> | undefined`,
    },
    {
      name: "continueWith",
      text: inHandler("").replace("{ job }", "{ | continueWith }"),
      shows: `(parameter) continueWith: ContinueToBlocked<BlockedNextStep<"order.charge", {\n    orderId: string;\n    cents: number;\n}, readonly [ChainRef<"stock.reserve"> | ChainStart<"stock.reserve", {\n    sku: string;\n}>, ...(ChainRef<"fraud.check"> | ChainStart<"fraud.check", {\n    orderId: string;\n}>)[]]> | NextStep<"order.refund", {\n    orderId: string;\n}>>`,
    },
    {
      name: "the start of a chain",
      text: `client.| startChain({ typeName: "stock.reserve", input: { sku: "" } });`,
      shows: `(property) startChain: <"stock.reserve", Computed<ChainStart<"stock.reserve", {\n    sku: string;\n}> & InTransaction<InProcessTransaction> & {\n    readonly signals?: readonly never[] | undefined;\n}>, "input" | "typeName">(options: NoInfer<ChainStart<"stock.reserve", {\n    sku: string;\n}> & InTransaction<InProcessTransaction> & {\n    readonly signals?: readonly never[] | undefined;\n}>) => Promise<StartedChain<"stock.reserve", {\n    sku: string;\n}>>`,
    },
    {
      name: "the wait for a chain",
      text: `client.| awaitChain({ id: "", typeName: "stock.reserve" });`,
      shows: `(method) awaitChain<"stock.reserve">(chain: ChainOfType<"stock.reserve">, wait?: WaitOptions): Promise<CompletedChain<"stock.reserve", {\n    sku: string;\n}, {\n    reserved: number;\n}>>`,
    },
    {
      name: "the read of a chain",
      text: `client.| getChain({ id: "", typeName: "stock.reserve" });`,
      shows: `(method) getChain<"stock.reserve">(options: (ChainOfType<"stock.reserve"> | ByKeyOfType<"stock.reserve">) & InTransaction<InProcessTransaction>): Promise<Chain<"stock.reserve", {\n    sku: string;\n}, {\n    reserved: number;\n}> | undefined>`,
    },
    {
      name: "the id of a chain",
      text: `const | id = (await client.startChain({ typeName: "stock.reserve", input: { sku: "" } })).id;`,
      shows: "const id: ChainId",
    },
    {
      name: "a started chain",
      text: `const | started = await client.startChain({ typeName: "stock.reserve", input: { sku: "" } });`,
      shows: `const started: StartedChain<"stock.reserve", {\n    sku: string;\n}>`,
    },
  ])("$name", ({ text, shows }) => {
    const { service, position } = open(text);
    const info = service.getQuickInfoAtPosition(file, position + 1);
    expect(ts.displayPartsToString(info?.displayParts)).toBe(shows);
  });
});

/** A language service with one more file among the fixtures; `|` in the text is the cursor. */
function open(marked: string): { readonly service: ts.LanguageService; readonly position: number } {
  const source = preamble + marked;
  const position = source.indexOf("|");
  const text = source.slice(0, position) + source.slice(position + 1);
  return { service: serviceFor(text), position };
}

let current: { text: string; version: number } = { text: "", version: 0 };
let service: ts.LanguageService | undefined;

function serviceFor(text: string): ts.LanguageService {
  current = { text, version: current.version + 1 };
  return (service ??= ts.createLanguageService(host()));
}

function host(): ts.LanguageServiceHost {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(fixtures, "tsconfig.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
        throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
      },
    },
  );
  if (config === undefined) throw new Error("the fixtures have no tsconfig.json");
  return {
    getCompilationSettings: () => config.options,
    getCurrentDirectory: () => dirname(file),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(current.version) : "1"),
    getScriptSnapshot: (name) => {
      const text = name === file ? current.text : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    readDirectory: (...args) => ts.sys.readDirectory(...args),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
  };
}
