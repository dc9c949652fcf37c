import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { EditOperation } from "../../../src/protocol/actions.ts";
import type { PayloadView } from "../../../src/protocol/views.ts";
import { Failure } from "../components/notice.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { counted } from "../format/number.ts";
import { editFrom } from "./edit.ts";

interface InputEditorProps {
  readonly typeName: string;
  readonly chainIds: readonly string[];
  readonly edit: Signal<readonly EditOperation[]>;
  readonly invalid: Signal<boolean>;
}

const settledMs = 300;

/** Edits the input before a retry. The server checks the edit against the schema while the user types. */
export function InputEditor({ typeName, chainIds, edit, invalid }: InputEditorProps) {
  const sampleId = chainIds[0] ?? "";
  const sample = useResource(`input ${sampleId}`, (signal) => openInput(sampleId, signal), "when refreshed");
  const input = sample.data.value;
  return (
    <details class="editor" onToggle={(event) => (event.currentTarget.open ? sample.refresh() : undefined)}>
      <summary>
        Edit the input of <code>{typeName}</code>
      </summary>
      {sample.error.value === undefined ? null : <Failure error={sample.error.value} />}
      {input === undefined ? null : input.kind === "value" ? (
        <Editor before={input.value} several={chainIds.length > 1} edit={edit} invalid={invalid} />
      ) : (
        <p class="muted">There is no input to edit.</p>
      )}
    </details>
  );
}

/** Loads the input of the step where a chain stopped, even if it is large. */
async function openInput(chainId: string, signal: AbortSignal): Promise<PayloadView> {
  const { lastStep } = await get("chain", { id: chainId }, signal);
  if (lastStep === undefined) return { kind: "none" };
  if (lastStep.input.kind !== "large") return lastStep.input;
  return (await get("job", { id: lastStep.id }, signal)).job.input;
}

interface EditorProps extends Pick<InputEditorProps, "edit" | "invalid"> {
  readonly before: unknown;
  readonly several: boolean;
}

function Editor({ before, several, edit, invalid }: EditorProps) {
  const id = useId();
  // The input when editing began: a change elsewhere must not replace the text.
  const original = useSignal(before).value;
  const text = useSignal(JSON.stringify(original, undefined, 2));
  const problem = useSignal<string | undefined>(undefined);

  useEffect(() => {
    const timer = setTimeout(() => {
      const written = editFrom(original, text.value);
      problem.value = written.kind === "invalid" ? written.message : undefined;
      invalid.value = written.kind === "invalid";
      if (written.kind === "changes" && JSON.stringify(written.operations) !== JSON.stringify(edit.value)) {
        edit.value = written.operations;
      }
    }, settledMs);
    return () => clearTimeout(timer);
  }, [text.value]);

  return (
    <>
      <label class="field" for={id}>
        <span>
          {several
            ? "The input of the newest chain. Your changes are applied to every selected chain."
            : "The input is checked against its schema before it is stored."}
        </span>
        <textarea
          id={id}
          class="input editor-text"
          rows={Math.min(16, text.value.split("\n").length + 1)}
          spellcheck={false}
          aria-invalid={problem.value !== undefined}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // The new text must not be sent before it has been checked.
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
    </>
  );
}

function Changes({ operations }: { readonly operations: readonly EditOperation[] }) {
  if (operations.length === 0) return <p class="muted">No changes yet.</p>;
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
