import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { toLocalInput } from "../format/moment.ts";

interface MomentFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}

/** A field for a date and time; empty means undefined. */
export function MomentField({ label, value, onChange }: MomentFieldProps) {
  const text = useSignal(value === undefined ? "" : toLocalInput(value));
  useLayoutEffect(() => {
    text.value = value === undefined ? "" : toLocalInput(value);
  }, [value]);
  return (
    <label class="field-inline">
      <span>{label}</span>
      <input
        type="datetime-local"
        step={1}
        class="input"
        value={text.value}
        onChange={(event) => {
          const at = new Date(event.currentTarget.value).getTime();
          onChange(Number.isNaN(at) ? undefined : at);
        }}
      />
    </label>
  );
}
