import { answerParent, told } from "@chainwright/bench-measuring";
import { race, type RaceFigures, type RaceRequest } from "./race.ts";
import { storeOf } from "./store.ts";

/** Callers that begin when the parent tells all of their processes. */
answerParent(async (asked, progress): Promise<RaceFigures> => {
  const request = asked as RaceRequest;
  const open = await storeOf(request.row).join(request.servers, request.place);
  const begun = told("begin");
  progress("ready");
  await begun;
  const figures = await race(open, request);
  await open.close();
  return figures;
});
