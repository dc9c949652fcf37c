import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { SignalToSend } from "../../../src/protocol/signals.ts";

interface SignalFieldsProps {
  readonly sent: Signal<SignalToSend>;
  readonly invalid: Signal<boolean>;
}

const settledMs = 300;

/** The name and the payload of a signal. The server checks them against the schema, where there is one. */
export function SignalFields({ sent, invalid }: SignalFieldsProps) {
  const id = useId();
  const name = useSignal("");
  const text = useSignal("null");
  const problem = useSignal<string | undefined>(undefined);

  useEffect(() => {
    const timer = setTimeout(() => {
      const payload = payloadOf(text.value);
      problem.value = payload.problem;
      invalid.value = payload.problem !== undefined || name.value.trim() === "";
      if (!invalid.value) sent.value = { ...sent.peek(), signal: name.value.trim(), payload: payload.value };
    }, settledMs);
    return () => clearTimeout(timer);
  }, [name.value, text.value]);

  return (
    <>
      <label class="field">
        <span>
          Signal for <code>{sent.value.typeName}</code>
        </span>
        <input
          type="text"
          class="input"
          maxLength={500}
          required
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
            invalid.value = true;
          }}
        />
      </label>
      <label class="field" for={id}>
        <span>Payload (JSON)</span>
        <textarea
          id={id}
          class="input editor-text"
          rows={Math.min(16, text.value.split("\n").length + 2)}
          spellcheck={false}
          aria-invalid={problem.value !== undefined}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // The new text must not be sent before it has been read.
            invalid.value = true;
          }}
        />
      </label>
      {problem.value === undefined ? null : (
        <p class="field-problem" role="alert">
          {problem.value}
        </p>
      )}
    </>
  );
}

function payloadOf(text: string): { readonly value: unknown; readonly problem: string | undefined } {
  try {
    return { value: JSON.parse(text) as unknown, problem: undefined };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : "This is not JSON." };
  }
}
