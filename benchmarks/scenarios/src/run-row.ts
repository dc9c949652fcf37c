import { answerParent, type Servers } from "@chainwright/bench-measuring";
import { allScenarios } from "./scenarios/all.ts";
import type { Settings } from "./settings.ts";
import type { ScenarioFigures } from "./table.ts";

/** The orders for the process of one row. */
export interface Request {
  readonly scenario: string;
  readonly row: string;
  readonly settings: Settings;
  readonly servers: Servers;
}

answerParent(async (asked, progress): Promise<ScenarioFigures> => {
  const { scenario: name, row, settings, servers } = asked as Request;
  const scenario = allScenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
  const figures = await scenario.measure(row, { settings, servers, progress });
  return { scenario: name, row, figures };
});
