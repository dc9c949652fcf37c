import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LineView, LogLevel, NotesResponse } from "../../../src/protocol/notes.ts";
import { Panel } from "../components/panel.tsx";
import { TextField } from "../components/text-field.tsx";
import { formatClock, formatExact } from "../format/moment.ts";
import { counted } from "../format/number.ts";
import { textOfPayload } from "../json/payload-text.ts";

interface LogPanelProps {
  readonly notes: NotesResponse;
  readonly level: Signal<LogLevel>;
  readonly text: Signal<string>;
}

const levels: readonly (readonly [level: LogLevel, label: string])[] = [
  ["debug", "All levels"],
  ["info", "Info and above"],
  ["warn", "Warnings and errors"],
  ["error", "Errors"],
];

/** The log of a step. It follows the newest line while the reader is at its end. */
export function LogPanel({ notes: { lines, moreLines }, level, text }: LogPanelProps) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <Panel
      title="Log"
      note={moreLines ? `the newest ${lines.length} lines` : counted(lines.length, "line")}
      tools={
        <div class="log-tools">
          <label class="field-inline">
            <span class="visually-hidden">Level</span>
            <select
              class="input"
              value={level.value}
              onChange={(event) => {
                level.value = levels.find(([each]) => each === event.currentTarget.value)?.[0] ?? "debug";
              }}
            >
              {levels.map(([each, label]) => (
                <option key={each} value={each}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <TextField
            label="Text in the log"
            placeholder="Find in the log"
            value={text.value}
            onChange={(value) => {
              text.value = value;
            }}
          />
        </div>
      }
      flush
    >
      {lines.length === 0 ? (
        <p class="muted panel-foot">No line matches.</p>
      ) : (
        <div
          class="log"
          ref={box}
          tabIndex={0}
          role="log"
          aria-label="Log"
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
          }}
        >
          <ol>{lines.map(Line)}</ol>
        </div>
      )}
    </Panel>
  );
}

function Line({ level, message, data, attempt, at }: LineView, place: number) {
  const details = textOfPayload(data);
  return (
    <li key={place} class="log-line" data-level={level} title={`Attempt ${attempt}, ${formatExact(at)}`}>
      <span class="log-time">{formatClock(at)}</span>
      <span class="log-level">{level}</span>
      <span class="log-message">
        {message}
        {details === "" ? null : <code class="log-data">{details}</code>}
      </span>
    </li>
  );
}
