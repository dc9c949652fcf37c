import { useComputed, useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ActionRequest, EditOperation, PreviewResponse } from "../../../src/protocol/actions.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Failure, Loading } from "../components/notice.tsx";
import { post } from "../data/api.ts";
import { say } from "../data/messages.ts";
import { counted } from "../format/number.ts";
import { InputEditor } from "./input-editor.tsx";
import { offered, wordsFor, type ActionOffer } from "./offer.ts";
import { PreviewResults } from "./preview-results.tsx";

/** Shows what an action would do and asks for confirmation. */
export function ActionDialog() {
  const offer = offered.value;
  return offer === undefined ? null : <Confirmation offer={offer} />;
}

function Confirmation({ offer }: { readonly offer: ActionOffer }) {
  const { action, ids } = offer;
  const words = wordsFor[action];
  const reason = useSignal("");
  const cascade = useSignal(false);
  const edit = useSignal<readonly EditOperation[]>([]);
  const editInvalid = useSignal(false);
  const acting = useSignal(false);
  const error = useSignal<unknown>(undefined);

  const request = useComputed<ActionRequest>(() => ({
    action,
    ids,
    ...(action === "delete" ? { cascade: cascade.value } : {}),
    ...(edit.value.length > 0 && offer.editFor !== undefined ? { edit: edit.value, typeName: offer.editFor } : {}),
  }));
  const preview = usePreview(request.value, error);
  const close = () => {
    offered.value = undefined;
  };

  const confirm = () => {
    acting.value = true;
    const trimmed = reason.value.trim();
    post("act", { ...request.value, ...(action === "cancel" && trimmed !== "" ? { reason: trimmed } : {}) })
      .then(
        ({ done, refused }) => {
          const summary = `${words.past} ${counted(done, words.noun)}`;
          say(done > 0 ? "done" : "failed", refused > 0 ? `${summary}; ${refused} refused.` : `${summary}.`);
          close();
          offer.onDone();
        },
        (failure: unknown) => {
          error.value = failure;
        },
      )
      .finally(() => {
        acting.value = false;
      });
  };

  const shown = preview.value;
  const possible = shown?.done ?? 0;
  return (
    <Dialog
      title={`${words.verb}: ${counted(ids.length, words.noun)}`}
      wide={offer.editFor !== undefined}
      onClose={close}
    >
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <p class="muted">{words.meaning}</p>
        {action === "cancel" ? <ReasonField reason={reason} /> : null}
        {action === "delete" ? <CascadeField cascade={cascade} /> : null}
        {shown === undefined && error.value === undefined ? <Loading rows={2} label="Loading the preview" /> : null}
        {shown === undefined ? null : <PreviewResults preview={shown} />}
        {offer.editFor !== undefined ? (
          <InputEditor typeName={offer.editFor} chainIds={ids} edit={edit} invalid={editInvalid} />
        ) : null}
        {error.value === undefined ? null : <Failure error={error.value} />}
        <div class="dialog-foot">
          <Button onClick={close}>{action === "cancel" ? "Keep it running" : "Close"}</Button>
          <Button
            type="submit"
            kind={words.danger ? "danger" : "primary"}
            busy={acting.value}
            disabled={possible === 0 || editInvalid.value}
          >
            {words.verb} {possible > 0 ? counted(possible, words.noun) : words.noun}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Loads the preview of an action, again whenever the request changes. */
function usePreview(request: ActionRequest, error: Signal<unknown>): Signal<PreviewResponse | undefined> {
  const preview = useSignal<PreviewResponse | undefined>(undefined);
  useEffect(() => {
    let stale = false;
    // The preview of the previous request does not apply to this one.
    preview.value = undefined;
    post("preview", request).then(
      (response) => {
        if (stale) return;
        preview.value = response;
        error.value = undefined;
      },
      (failure: unknown) => {
        if (!stale) error.value = failure;
      },
    );
    return () => {
      stale = true;
    };
  }, [request]);
  return preview;
}

function ReasonField({ reason }: { readonly reason: Signal<string> }) {
  return (
    <label class="field">
      <span>Reason (optional; stored with the chain)</span>
      <input
        type="text"
        class="input"
        maxLength={500}
        value={reason.value}
        onInput={(event) => {
          reason.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}

function CascadeField({ cascade }: { readonly cascade: Signal<boolean> }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={cascade.value}
        onChange={(event) => {
          cascade.value = event.currentTarget.checked;
        }}
      />
      <span>Also delete the chains that wait or waited for these</span>
    </label>
  );
}
