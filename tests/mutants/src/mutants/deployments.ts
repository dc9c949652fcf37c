import type { Mutant } from "../mutant.ts";

/** What the check of a deployment must not overlook. */
export const deploymentMutants: readonly Mutant[] = [
  {
    name: "deployments: open jobs without a processor are found",
    in: "core:findUnhandled",
    find: "if (isServed(code, typeName)) continue;",
    replace: "if (code.types.size >= 0) continue;",
  },
  {
    name: "deployments: what chains lead to is looked at",
    in: "core:nextOf",
    find: "types.get(typeName)?.continueWith ?? []",
    replace: "[]",
  },
  {
    name: "deployments: what blocks the next step is looked at",
    in: "core:nextOf",
    find: "...(types.get(name)?.blockers ?? [])",
    replace: "",
  },
  {
    name: "deployments: outputs of blockers are read",
    in: "core:whyJobUnreadable",
    find: "own === undefined && job.hasBlockers",
    replace: "own === undefined && job.step < 0",
  },
  {
    name: "deployments: a pool that no one serves is found",
    in: "core:checkPool",
    find: "code.processors.has(typeName) && code.pools.has(pool)",
    replace: "code.processors.has(typeName)",
  },
];
