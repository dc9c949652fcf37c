import { defineJobTypes, type StoppedChain } from "chainwright";

/** A saga, and which of its steps fails. */
export interface Saga {
  readonly saga: string;
  /** From 0. */
  readonly step: number;
  readonly lastStep: number;
  /** The step that fails for good after its effect. Undefined: none. */
  readonly failsAt: number | undefined;
  /** How many chains a step starts as its blockers. */
  readonly items: number;
  /** Whether the first of these fails for good. */
  readonly itemFails: boolean;
}

/** Names what a step did, which its compensation undoes. */
interface Undo {
  readonly saga: string;
  readonly effect: string;
}

export const sagaJobTypes = defineJobTypes<{
  "saga.begin": {
    entry: true;
    input: Saga;
    continueWith: "saga.step";
    compensate: "saga.undo";
    whenStopped: "saga.tell";
  };
  "saga.step": {
    input: Saga;
    output: null;
    continueWith: "saga.step";
    blockers: [..."saga.item"[]];
    compensate: "saga.undo";
  };
  "saga.item": {
    entry: true;
    input: { readonly saga: string; readonly fails: boolean };
    output: null;
    compensate: "saga.undo";
  };
  "saga.undo": { entry: true; input: Undo; output: null };
  "saga.tell": { entry: true; input: StoppedChain<Saga>; output: null };
}>();
