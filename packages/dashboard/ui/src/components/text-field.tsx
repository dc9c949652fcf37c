import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface TextFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether the `/` key moves the focus here. */
  readonly shortcut?: boolean | undefined;
  /** The id of a `datalist`. */
  readonly list?: string | undefined;
}

const settledMs = 300;

/** A text field that reports its value once typing pauses. */
export function TextField({ label, placeholder, value, onChange, shortcut = false, list }: TextFieldProps) {
  const text = useSignal(value);
  const report = useRef(onChange);
  report.current = onChange;

  // The value also changes from outside: by the browser's history, and when filters are cleared. A later effect would overwrite
  // what is typed at once after that.
  useLayoutEffect(() => {
    text.value = value;
  }, [value]);

  useEffect(() => {
    const written = text.value.trim();
    if (written === value) return;
    const timer = setTimeout(() => report.current(written), settledMs);
    return () => clearTimeout(timer);
  }, [text.value]);

  return (
    <label class="field-inline">
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        class="input"
        placeholder={placeholder}
        list={list}
        data-shortcut={shortcut ? "/" : undefined}
        aria-keyshortcuts={shortcut ? "/" : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
