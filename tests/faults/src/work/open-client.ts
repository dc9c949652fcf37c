import { createClient } from "chainwright";
import type { Clock } from "chainwright";
import type { OpenStore } from "../store/open-store.ts";
import { accidentJobTypes, joinJobTypes, stepJobTypes } from "./job-types.ts";

export type FaultClient = ReturnType<typeof openClient>;

export function openClient({ stateAdapter, notifyAdapter }: OpenStore, clock?: Clock) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes: [stepJobTypes, joinJobTypes, accidentJobTypes], clock });
}
