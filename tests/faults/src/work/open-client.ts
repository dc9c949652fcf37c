import { createClient, type Clock, type Observer } from "chainwright";
import type { OpenStore } from "../store/open-store.ts";
import {
  accidentJobTypes,
  branchJobTypes,
  joinJobTypes,
  lineJobTypes,
  longJobTypes,
  loopJobTypes,
  preyJobTypes,
  unrulyJobTypes,
} from "./job-types.ts";

export type FaultClient = ReturnType<typeof openClient>;

const jobTypes = [
  lineJobTypes,
  branchJobTypes,
  loopJobTypes,
  joinJobTypes,
  accidentJobTypes,
  preyJobTypes,
  unrulyJobTypes,
  longJobTypes,
] as const;

export function openClient(
  { stateAdapter, notifyAdapter }: OpenStore,
  options: { readonly clock?: Clock; readonly observers?: readonly Observer[] } = {},
) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes, ...options });
}
