import type { JobType } from "./job-type.ts";
import { inlineStart, ownField, stepText, valueText } from "./payload-text.ts";

/** A handler in the form that its type requires. It reads the input and the blockers, and ends the chain or continues with the last target. */
export function handlerText(type: JobType, typeNamed: (name: string) => JobType, mistake: boolean): string {
  const target = type.continueWith.at(-1);
  const parts: Parts = {
    name: type.name,
    field: mistake ? "noSuchProperty" : ownField(type.input),
    reads: [
      ...type.blockers.map((name, place) => `job.blockers[${place}].output.${ownField(typeNamed(name).output ?? {})}`),
      ...(type.signals ? [`(job.received?.signal === "approved" && job.received.payload.by)`] : []),
    ],
    next: target === undefined ? undefined : typeNamed(target),
    output: valueText(type.output ?? {}),
    typeNamed,
  };
  switch (type.handler) {
    case "value":
      return valueHandler(parts);
    case "definition":
      return definition(parts);
    default:
      return completing(parts, type.handler);
  }
}

interface Parts {
  readonly name: string;
  readonly field: string;
  /** Expressions that read its blockers and its signals. */
  readonly reads: readonly string[];
  readonly next: JobType | undefined;
  readonly output: string;
  readonly typeNamed: (name: string) => JobType;
}

/** The published scenarios' handler: prepare and complete, each with a callback, and the middleware's context. */
function completing({ name, field, reads, next, output, typeNamed }: Parts, mode: "atomic" | "staged"): string {
  const starts = (next?.blockers ?? []).map((blocker, place) => {
    const { input } = typeNamed(blocker);
    return `        const blocker${place} = await client.startChain({ tx, typeName: "${blocker}", input: ${valueText(input)} });\n`;
  });
  const ending =
    next === undefined
      ? output
      : `continueWith(${stepText(next, starts.map((_, place) => `blocker${place}`).join(", "))})`;
  return `    "${name}": async ({ job, prepare, complete, elapsedMs }) => {
      const prepared = await prepare({ mode: "${mode}" }, async ({ tx }) => {
        void tx;
        return job.input.${field};
      });
      void prepared;
      void elapsedMs();${readText(reads)}
      return complete(async ({ tx${next === undefined ? "" : ", continueWith"} }) => {
        void tx;
${starts.join("")}        return ${ending};
      });
    },`;
}

function valueHandler({ name, field, reads, next, output, typeNamed }: Parts): string {
  return `    "${name}": async ({ job, elapsedMs${next === undefined ? "" : ", continueWith"} }) => {
      void job.input.${field};
      void elapsedMs();${readText(reads)}
      return ${next === undefined ? output : `continueWith(${inlineStart(next, typeNamed)})`};
    },`;
}

function definition({ name, field, next, output, typeNamed }: Parts): string {
  return `    "${name}": {
      retry: { maxAttempts: 5 },
      timeoutMs: 30_000,
      handler: async ({ job, signal, complete }) => {
        void job.input.${field};
        void signal.aborted;
        return complete(async ({ tx${next === undefined ? "" : ", continueWith"} }) => {
          void tx;
          return ${next === undefined ? output : `continueWith(${inlineStart(next, typeNamed)})`};
        });
      },
    },`;
}

function readText(reads: readonly string[]): string {
  return reads.map((read) => `\n      void ${read};`).join("");
}
