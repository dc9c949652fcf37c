import type { Attributes, Meter } from "@opentelemetry/api";
import type { ChainwrightEvent } from "chainwright";
import { attribute, system } from "./conventions.ts";

/** Of round trips to the store, in seconds. */
export const tripBoundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const plain: Attributes = { [attribute.system]: system };

function createNoteInstruments(meter: Meter) {
  return {
    memos: meter.createCounter("chainwright.note.memos", {
      unit: "{memo}",
      description: "Results of once that were written, without those with a transaction.",
    }),
    checkpoints: meter.createCounter("chainwright.note.checkpoints", {
      unit: "{checkpoint}",
      description: "Checkpoints that were saved.",
    }),
    duration: meter.createHistogram("chainwright.note.duration", {
      unit: "s",
      description: "Duration of calls of the store that write what handlers note.",
      advice: { explicitBucketBoundaries: tripBoundaries },
    }),
    linesDropped: meter.createCounter("chainwright.log.dropped", {
      unit: "{line}",
      description:
        "Lines of handlers that were never written, because newer ones came faster than the store took them.",
    }),
  };
}

/** Counts what handlers note. */
export function createNoteMetrics(
  meter: Meter,
  attributesOf: (typeName: string) => Attributes,
): (event: ChainwrightEvent) => void {
  const to = createNoteInstruments(meter);
  return (event) => {
    if (event.type === "log-lines-dropped") to.linesDropped.add(event.count, attributesOf(event.typeName));
    if (event.type !== "notes-written") return;
    if (event.memos > 0) to.memos.add(event.memos, plain);
    if (event.checkpoints > 0) to.checkpoints.add(event.checkpoints, plain);
    to.duration.record(event.durationMs / 1_000, plain);
  };
}
