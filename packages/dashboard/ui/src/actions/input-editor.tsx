import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { EditOperation, PreviewAnswer } from "../../../src/protocol.ts";
import { counted } from "../format/number.ts";
import { editFrom } from "./edit.ts";

interface InputEditorProps {
  readonly typeName: string;
  readonly preview: PreviewAnswer;
  readonly edit: Signal<readonly EditOperation[]>;
  readonly invalid: Signal<boolean>;
}

const settledMs = 300;

/** Changes the input before a retry. The server checks it against the schema while it is written. */
export function InputEditor({ typeName, preview, edit, invalid }: InputEditorProps) {
  const id = useId();
  // The inputs of the first preview: later ones answer to what was written here.
  const sample = useSignal(preview.inputs[0]?.before).value;
  const original = sample?.kind === "value" ? JSON.stringify(sample.value, undefined, 2) : undefined;
  const text = useSignal(original ?? "");
  const problem = useSignal<string | undefined>(undefined);

  useEffect(() => {
    if (sample?.kind !== "value") return;
    const timer = setTimeout(() => {
      const written = editFrom(sample.value, text.value);
      problem.value = written.kind === "invalid" ? written.message : undefined;
      invalid.value = written.kind === "invalid";
      if (written.kind === "changes" && JSON.stringify(written.operations) !== JSON.stringify(edit.value)) {
        edit.value = written.operations;
      }
    }, settledMs);
    return () => clearTimeout(timer);
  }, [text.value]);

  if (original === undefined) return <p class="muted">The input is too large, or not there, to be edited here.</p>;
  const several = preview.results.length > 1;
  return (
    <details class="editor">
      <summary>
        Edit the input of <code>{typeName}</code>
      </summary>
      <label class="field" for={id}>
        <span>
          {several ? "The newest chain\u2019s input. What you change here is changed in each." : "Checked by its schema before it is written."}
        </span>
        <textarea
          id={id}
          class="input editor-text"
          rows={Math.min(16, original.split("\n").length + 1)}
          spellcheck={false}
          aria-invalid={problem.value !== undefined}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // Until it has been looked at, what stands here must not be sent.
            invalid.value = true;
          }}
        />
      </label>
      {problem.value === undefined ? null : (
        <p class="field-problem" role="alert">
          {problem.value}
        </p>
      )}
      <Changes operations={edit.value} />
    </details>
  );
}

function Changes({ operations }: { readonly operations: readonly EditOperation[] }) {
  if (operations.length === 0) return <p class="muted">Nothing is changed yet.</p>;
  return (
    <div class="changes">
      <p class="muted">{counted(operations.length, "change")}</p>
      <ul>
        {operations.slice(0, 20).map((operation, place) => (
          <li key={place}>
            <code>
              {operation.op} {operation.path === "" ? "everything" : operation.path}
              {operation.op === "remove" ? "" : ` = ${JSON.stringify(operation.value).slice(0, 120)}`}
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
