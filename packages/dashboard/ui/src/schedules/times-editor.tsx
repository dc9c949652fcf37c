import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ScheduleTimesEdit } from "../../../src/protocol/actions.ts";

interface TimesEditorProps {
  readonly times: Signal<ScheduleTimesEdit>;
  /** True until the server has been asked about what is written. */
  readonly invalid: Signal<boolean>;
}

const settledMs = 300;

/** Edits a pattern and its zone, or an interval. The server checks it while the user types. */
export function TimesEditor({ times, invalid }: TimesEditorProps) {
  const written = useSignal(times.value);
  useEffect(() => {
    const timer = setTimeout(() => {
      times.value = written.value;
      invalid.value = false;
    }, settledMs);
    return () => clearTimeout(timer);
  }, [written.value]);
  const change = (part: ScheduleTimesEdit) => {
    written.value = { ...written.value, ...part };
    invalid.value = true;
  };
  const { cron, timeZone, everyMs } = written.value;
  if (cron === undefined) {
    return (
      <Field
        label="Interval in milliseconds"
        value={String(everyMs ?? "")}
        onChange={(value) => change({ everyMs: Number(value) })}
      />
    );
  }
  return (
    <>
      <Field label="Pattern" value={cron} onChange={(value) => change({ cron: value })} />
      <Field label="Time zone" value={timeZone ?? "UTC"} onChange={(value) => change({ timeZone: value })} />
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ label, value, onChange }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        class="input"
        maxLength={200}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
