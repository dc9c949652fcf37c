import { answerParent, told } from "@chainwright/bench-measuring";
import { createSteadyClient, createSteadyWorker, type SteadyFigures, type SteadyRequest } from "./steady-worker.ts";
import { storeOf } from "./store.ts";

/** A worker that runs until its parent tells it to stop. */
answerParent(async (asked, progress): Promise<SteadyFigures> => {
  const { row, servers, place } = asked as SteadyRequest;
  const open = await storeOf(row).join(servers, place);
  const client = createSteadyClient(open);
  const worker = createSteadyWorker(client);
  await worker.start();
  const stopped = told("stop");
  progress("ready");
  await stopped;
  const figures = await worker.stop();
  await client.close();
  await open.close();
  return figures;
});
