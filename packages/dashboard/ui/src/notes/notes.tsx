import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LogLevel, NotesResponse } from "../../../src/protocol/notes.ts";
import type { StepView } from "../../../src/protocol/views.ts";
import { Failure } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { ProgressBar } from "../components/progress-bar.tsx";
import { Time } from "../components/time.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { JsonView } from "../json/json-view.tsx";
import { LogPanel } from "./log-panel.tsx";
import { Memos } from "./memos.tsx";
import { textOfPayload } from "../json/payload-text.ts";

interface NotesProps {
  readonly step: StepView;
  /** When the page was loaded last: the notes are read again with it. */
  readonly loadedAt: number;
}

/** What the handler of a step has noted: progress, checkpoint, results of `once`, and its log. */
export function Notes({ step, loadedAt }: NotesProps) {
  const level = useSignal<LogLevel>("debug");
  const text = useSignal("");
  const query = { id: step.id, level: level.value, text: text.value };
  const { data, error, refresh } = useResource(`notes ${JSON.stringify(query)}`, (signal) =>
    get("notes", query, signal),
  );
  const newest = useSignal<NotesResponse | undefined>(undefined);
  // The lines of the filter before stay until those of the new one are there.
  useEffect(() => {
    if (data.value !== undefined) newest.value = data.value;
  }, [data.value]);
  useEffect(() => {
    if (data.value !== undefined) refresh();
  }, [loadedAt]);

  if (error.value !== undefined) return <Failure error={error.value} onRetry={refresh} />;
  const notes = newest.value;
  if (notes === undefined) return null;
  const isFiltered = level.value !== "debug" || text.value !== "";
  return (
    <>
      <Reached notes={notes} step={step} />
      <Memos of={notes} />
      {notes.lines.length === 0 && !isFiltered ? null : <LogPanel notes={notes} level={level} text={text} />}
    </>
  );
}

/** How far the step is, and from where it would go on. */
function Reached({
  notes: { progress, checkpoint },
  step,
}: {
  readonly notes: NotesResponse;
  readonly step: StepView;
}) {
  if (progress === undefined && checkpoint === undefined) return null;
  const isRunning = step.endedAt === undefined;
  return (
    <Panel title="Progress">
      <div class="reached">
        {progress === undefined ? null : (
          <div>
            <h3>{isRunning ? "Reported" : "Last report"}</h3>
            <ProgressBar of={progress} label={`Progress of step ${step.step}`} />
            {progress.share === undefined && progress.text === "" ? <code>{textOfPayload(progress.value)}</code> : null}
            <p class="muted small">
              Attempt {progress.attempt}, <Time at={progress.at} />
            </p>
          </div>
        )}
        {checkpoint === undefined ? null : (
          <div>
            <h3>Checkpoint</h3>
            {checkpoint.value.kind === "value" ? (
              <JsonView value={checkpoint.value.value} bytes={checkpoint.value.bytes} label="checkpoint" />
            ) : (
              <p class="muted">{textOfPayload(checkpoint.value)}</p>
            )}
            <p class="muted small">
              {isRunning ? "The next attempt goes on from here. " : ""}Saved by attempt {checkpoint.attempt},{" "}
              <Time at={checkpoint.at} />
            </p>
          </div>
        )}
      </div>
    </Panel>
  );
}
