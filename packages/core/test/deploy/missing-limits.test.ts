import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
} from "chainwright";
import { checkDeploy } from "chainwright/check";
import { expect, it, onTestFinished } from "vitest";

const mailTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();

it("finds a limit that is in use and that the client does not have", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const recipient = defineLimits({
    jobTypes: mailTypes,
    limits: { recipient: { keys: { "mail.send": ({ to }) => to }, concurrency: 1 } },
  });
  const limited = createClient({ stateAdapter, jobTypes: mailTypes, limits: [recipient] });
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<null>();
  const handler = async () => {
    begun.resolve();
    return await end.promise;
  };
  const unlimited = createClient({ stateAdapter, jobTypes: mailTypes });
  const processorsOf = (client: typeof limited) => [
    createProcessors({ client, jobTypes: mailTypes, processors: { "mail.send": handler } }),
  ];
  const processors = processorsOf(limited);
  const worker = createWorker({ client: limited, processors });
  onTestFinished(() => worker.stop());
  await worker.start();
  const missing = async () => {
    const { findings } = await checkDeploy({ client: unlimited, processors: processorsOf(unlimited) });
    return findings.filter(({ code }) => code === "limit-missing");
  };
  expect(await missing()).toEqual([]);
  const chain = await limited.startChain({ typeName: "mail.send", input: { to: "ada" } });
  await begun.promise;
  expect(await missing()).toMatchObject([
    {
      level: "warning",
      details: { limit: "recipient" },
      message: expect.stringContaining('The limit "recipient" is in use'),
    },
  ]);
  expect((await checkDeploy({ client: limited, processors })).findings).not.toMatchObject([{ code: "limit-missing" }]);
  end.resolve(null);
  await limited.awaitChain(chain);
});
