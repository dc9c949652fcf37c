import type { StateAdapter } from "chainwright";

/** What a development server shows to a person who has no code yet. */
export async function createSample<Tx>(stateAdapter: StateAdapter<Tx>) {
  const { createClient, createProcessors, defineJobTypes, FatalError } = await import("chainwright");
  const jobTypes = defineJobTypes<{
    "hello.say": { entry: true; input: { name: string }; continueWith: "hello.reply" };
    "hello.reply": { input: { text: string }; output: { reply: string } };
    "hello.fail": { entry: true; input: { name: string }; output: null };
  }>();
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "hello.say": async ({ job, continueWith }) =>
        continueWith({ typeName: "hello.reply", input: { text: `Hello, ${job.input.name}!` } }),
      "hello.reply": async ({ job }) => ({ reply: `${job.input.text} How are you?` }),
      "hello.fail": async ({ job }) => {
        throw new FatalError(`no one is called ${job.input.name}`);
      },
    },
  });
  /** Starts a chain of two steps, one that fails, one for later, and a schedule. */
  const begin = async (): Promise<void> => {
    await client.startChains({
      items: [
        { typeName: "hello.say", input: { name: "world" } },
        { typeName: "hello.fail", input: { name: "Nobody" } },
        { typeName: "hello.say", input: { name: "tomorrow" }, schedule: { afterMs: dayMs } },
      ],
    });
    await client.applySchedules({
      owner: "chainwright dev",
      schedules: [{ id: "hello", typeName: "hello.say", input: { name: "again" }, everyMs: everyMs }],
    });
  };
  return { client, processors, begin };
}

const dayMs = 86_400_000;
const everyMs = 15_000;
