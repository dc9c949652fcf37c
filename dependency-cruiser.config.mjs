// Arrows point down (see the architecture page of the documentation): a layer of core may import what is named beside its
// name, and itself. Packages meet only at their doors.
const ground = ["ports", "model"];
const tools = ["hints", "timing", "checks", ...ground];
const mayImport = {
  model: [],
  ports: ["model"],
  rules: ground,
  types: ground,
  checks: ground,
  timing: ["checks", ...ground],
  hints: tools.slice(1),
  "in-process": ["rules", ...ground],
  "change-log": ["in-process", "rules", ...ground],
  observers: ground,
  "notify-channel": tools,
  engine: ["schedules", ...tools],
  schedules: ["checks", ...ground],
  operations: ["engine", "types", "schedules", ...tools],
  client: ["operations", "engine", "observers", "types", ...tools],
  worker: ["operations", "engine", "types", "schedules", ...tools],
  deploy: ["worker", "operations", "engine", "types", ...tools],
  remote: ["worker", "operations", "engine", "types", ...tools],
  "signal-links": ["types", "checks", ...ground],
  testing: ["client", "worker", "in-process", "observers", "operations", "engine", "types", ...tools],
};

const core = "^packages/core/src";
const folderOf = (layer) => `${core}/${layer}/`;
const sideDoors = {
  // The door that the client keeps for what knows its engine.
  worker: [`${core}/client/internal\\.ts$`],
  deploy: [`${core}/client/internal\\.ts$`],
  remote: [`${core}/client/internal\\.ts$`],
  // What a client has when its application names no notify adapter.
  client: [`${core}/in-process/notify-adapter\\.ts$`],
};

const layerRules = Object.entries(mayImport).map(([layer, below]) => ({
  name: `core-${layer}-imports-only-what-is-below`,
  comment: `${layer}/ is above: ${below.join(", ") || "nothing"}`,
  severity: "error",
  from: { path: folderOf(layer) },
  to: { path: `${core}/`, pathNot: [layer, ...below].map(folderOf).concat(sideDoors[layer] ?? []) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    {
      name: "no-cycle",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphan",
      comment: "a source file that nothing reaches and that reaches nothing",
      severity: "error",
      from: {
        path: "^(packages|examples|benchmarks|tests)/[^/]+/src/",
        pathNot: ["/index\\.ts$", "/main\\.ts$", "-process\\.ts$"],
        orphan: true,
      },
      to: {},
    },
    {
      name: "core-has-no-dependencies",
      comment: "node: modules only; the build bundles croner into chainwright/schedules",
      severity: "error",
      from: { path: `${core}/`, pathNot: `${core}/schedules/pattern\\.ts$` },
      to: { pathNot: `${core}/`, dependencyTypesNot: ["core", "unknown"] },
    },
    {
      name: "packages-meet-at-their-doors",
      comment: "never a path into another package: import it by its name",
      severity: "error",
      from: { path: "^(packages|examples|benchmarks|tests)/([^/]+)/" },
      to: {
        path: "^(packages|examples|benchmarks|tests)/",
        pathNot: "^$1/$2/",
        dependencyTypes: ["local"],
      },
    },
    {
      name: "adapters-do-not-know-each-other",
      severity: "error",
      from: { path: "^packages/([^/]+)/src/", pathNot: "^packages/(core|cli|mcp)/" },
      to: { path: "^packages/[^/]+/", pathNot: "^packages/($1|core|sql-transactions|child-process)/" },
    },
    {
      name: "core-knows-no-package",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { path: "^packages/", pathNot: "^packages/core/" },
    },
    {
      name: "sources-do-not-import-tests",
      severity: "error",
      from: { path: "^(packages|examples|benchmarks|tests)/[^/]+/src/" },
      to: { path: "(/test/|\\.test(-d)?\\.ts$)" },
    },
    {
      name: "nothing-imports-scripts",
      comment: "what scripts share with tests and the documentation is in tooling/",
      severity: "error",
      from: { path: "^(packages|examples|benchmarks|tests|docs-site|tooling)/" },
      to: { path: "^scripts/" },
    },
    {
      name: "scripts-and-docs-meet-in-tooling",
      severity: "error",
      from: { path: "^scripts/" },
      to: { path: "^docs-site/" },
    },
    {
      name: "tooling-imports-nothing-else",
      severity: "error",
      from: { path: "^tooling/" },
      to: { path: "^(docs-site|scripts|packages|examples|benchmarks|tests)/" },
    },
    {
      name: "packages-do-not-import-test-rigs",
      comment: "their tests may: see the rule about src",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { path: "^tests/" },
    },
    {
      name: "programs-use-the-public-api",
      comment: "examples and benchmarks see what a user sees",
      severity: "error",
      from: { path: "^(examples|benchmarks|tests)/" },
      to: { path: "^packages/[^/]+/src/", dependencyTypes: ["local"] },
    },
    {
      name: "unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^node:" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|fixtures|generated|\\.cache)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@chainwright/source", "types", "import", "node", "default"],
      extensions: [".ts", ".mts", ".mjs", ".js", ".json", ".d.ts"],
    },
  },
};
