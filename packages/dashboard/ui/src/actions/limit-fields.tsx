import { useSignal, type Signal } from "@preact/signals";
import type { Action, LimitNumbers } from "../../../src/protocol/actions.ts";

interface LimitFieldsProps {
  readonly action: Action;
  readonly change: Signal<LimitNumbers>;
}

/** The numbers of a limit, or how long it is paused. The server checks them. */
export function LimitFields({ action, change }: LimitFieldsProps) {
  return action === "pause-limit" ? <PauseFields change={change} /> : <RuleFields change={change} />;
}

function PauseFields({ change }: { readonly change: Signal<LimitNumbers> }) {
  return (
    <NumberField
      label="Seconds (optional; empty: until it is resumed)"
      value={undefined}
      onChange={(seconds) => {
        change.value = { forMs: seconds === undefined ? undefined : seconds * 1_000 };
      }}
    />
  );
}

function RuleFields({ change }: { readonly change: Signal<LimitNumbers> }) {
  const first = change.peek();
  const count = useSignal(first.rate?.count);
  const seconds = useSignal(first.rate === undefined ? 1 : first.rate.perMs / 1_000);
  const spread = useSignal(first.rate?.spread ?? false);
  const setRate = () => {
    const rate =
      count.value === undefined
        ? undefined
        : { count: count.value, perMs: Math.round((seconds.value ?? 0) * 1_000), spread: spread.value };
    change.value = { ...change.value, rate };
  };
  return (
    <>
      <p class="muted">An empty field stays as it is.</p>
      <NumberField
        label="Jobs of a key that run at the same time"
        value={first.concurrency}
        onChange={(concurrency) => {
          change.value = { ...change.value, concurrency };
        }}
      />
      <NumberField
        label="Attempts of a key that begin"
        value={first.rate?.count}
        onChange={(value) => {
          count.value = value;
          setRate();
        }}
      />
      <NumberField
        label="in each span of seconds"
        value={seconds.peek()}
        onChange={(value) => {
          seconds.value = value ?? 0;
          setRate();
        }}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={spread.value}
          onChange={(event) => {
            spread.value = event.currentTarget.checked;
            setRate();
          }}
        />
        <span>Beginnings are spaced evenly</span>
      </label>
    </>
  );
}

interface NumberFieldProps {
  readonly label: string;
  /** The value at first. */
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

function NumberField({ label, value, onChange }: NumberFieldProps) {
  const text = useSignal(value === undefined ? "" : String(value));
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        class="input"
        step="any"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          onChange(text.value === "" ? undefined : Number(text.value));
        }}
      />
    </label>
  );
}
