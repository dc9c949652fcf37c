import type { StepView } from "../../../src/protocol/views.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Facts } from "../components/facts.tsx";
import { Panel } from "../components/panel.tsx";
import { StatusBadge } from "../components/status.tsx";
import { FullTime } from "../components/time.tsx";
import { formatDuration } from "../format/duration.ts";
import { counted } from "../format/number.ts";
import { Payload } from "../json/payload.tsx";
import { Attempts } from "./attempts.tsx";
import { LostAttempts } from "./lost-attempts.tsx";

interface StepPanelProps {
  readonly step: StepView;
  readonly onDone: () => void;
}

/** All details of one step. */
export function StepPanel({ step, onDone }: StepPanelProps) {
  return (
    <Panel
      title={`Step ${step.step}: ${step.typeName}`}
      note={<StatusBadge status={step.status} />}
      tools={
        step.status === "scheduled" ? (
          <ActionButton action="trigger" ids={[step.id]} onDone={onDone} small />
        ) : undefined
      }
    >
      <Facts of={factsOf(step)} />
      <div class="payloads">
        <div class="payload">
          <h3>Input</h3>
          <Payload
            key={`input ${step.id}`}
            payload={step.input}
            part="input"
            jobId={step.id}
            none="There is no input."
          />
        </div>
        <div class="payload">
          <h3>Output</h3>
          <Payload
            key={`output ${step.id}`}
            payload={step.output}
            part="output"
            jobId={step.id}
            none={noOutput(step)}
          />
        </div>
      </div>
      {step.lostAttempts.length === 0 ? null : <LostAttempts of={step.lostAttempts} />}
      {step.errors.length === 0 ? null : (
        <>
          <h3 class="payload-title">Failed attempts ({step.errors.length})</h3>
          <Attempts key={`attempts ${step.id} ${step.errors.length}`} jobId={step.id} errors={step.errors} />
        </>
      )}
    </Panel>
  );
}

function factsOf(step: StepView): Parameters<typeof Facts>[0]["of"] {
  const { startedAt, endedAt, scheduledAt, leasedBy, leasedUntil } = step;
  return [
    [
      "Job id",
      <span class="with-copy">
        <code>{step.id}</code>
        <CopyButton label="Copy job id" text={step.id} />
      </span>,
    ],
    ["Attempts", String(step.attempt)],
    ["Created", <FullTime at={step.createdAt} />],
    scheduledAt === undefined ? undefined : ["Due", <FullTime at={scheduledAt} />],
    startedAt === undefined ? undefined : ["Last started", <FullTime at={startedAt} />],
    endedAt === undefined ? undefined : ["Ended", <FullTime at={endedAt} />],
    startedAt === undefined || endedAt === undefined ? undefined : ["Ran", formatDuration(endedAt - startedAt)],
    leasedBy === undefined ? undefined : ["Worker", <code>{leasedBy}</code>],
    leasedUntil === undefined ? undefined : ["Lease expires", <FullTime at={leasedUntil} />],
    step.status === "waiting"
      ? ["Waits until", step.waitsUntil === undefined ? "a signal comes" : <FullTime at={step.waitsUntil} />]
      : undefined,
    ["Priority", String(step.priority)],
    step.pool === undefined ? undefined : ["Pool", <code>{step.pool}</code>],
    step.version === 1 ? undefined : ["Stored version", String(step.version)],
    step.blockersLeft === 0 ? undefined : ["Waits for", counted(step.blockersLeft, "blocker")],
    step.blockers.items.length === 0
      ? undefined
      : ["If a blocker fails", step.onBlockerFailure === "fail" ? "this job fails too" : "this job waits for a retry"],
  ];
}

function noOutput(step: StepView): string {
  if (step.continuedAs !== undefined) return "No output: the step continued with the next step.";
  if (step.status === "completed") return "The step completed without an output.";
  return "The step has not completed.";
}
