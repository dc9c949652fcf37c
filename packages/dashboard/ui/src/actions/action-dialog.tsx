import type { Signal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Failure, Loading } from "../components/notice.tsx";
import { counted } from "../format/number.ts";
import { useActionForm, type ActionForm } from "./action-form.ts";
import { InputEditor } from "./input-editor.tsx";
import { dismissOffer, hasReason, offered, wordsFor, type ActionOffer } from "./offer.ts";
import { PreviewResults } from "./preview-results.tsx";

/** Shows what an action would do and asks for confirmation. */
export function ActionDialog() {
  const offer = offered.value;
  return offer === undefined ? null : <Confirmation offer={offer} />;
}

function Confirmation({ offer }: { readonly offer: ActionOffer }) {
  const { action, ids, editFor } = offer;
  const words = wordsFor[action];
  const form = useActionForm(offer);
  const preview = form.preview.value;
  const error = form.error.value;
  return (
    <Dialog
      title={`${words.verb}: ${counted(ids.length, words.noun)}`}
      wide={editFor !== undefined}
      onClose={dismissOffer}
    >
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          form.confirm();
        }}
      >
        <p class="muted">{words.meaning}</p>
        {hasReason(action) ? <ReasonField reason={form.reason} of={words.noun} /> : null}
        {action === "delete" ? <CascadeField cascade={form.cascade} /> : null}
        {preview === undefined && error === undefined ? <Loading rows={2} label="Loading the preview" /> : null}
        {preview === undefined ? null : <PreviewResults preview={preview} />}
        {editFor !== undefined ? (
          <InputEditor typeName={editFor} chainIds={ids} edit={form.edit} invalid={form.editInvalid} />
        ) : null}
        {error === undefined ? null : <Failure error={error} />}
        <DialogButtons action={action} form={form} />
      </form>
    </Dialog>
  );
}

function DialogButtons({ action, form }: { readonly action: ActionOffer["action"]; readonly form: ActionForm }) {
  const words = wordsFor[action];
  const possible = form.preview.value?.done ?? 0;
  return (
    <div class="dialog-foot">
      <Button onClick={dismissOffer}>{action === "cancel" ? "Keep it running" : "Close"}</Button>
      <Button
        type="submit"
        kind={words.danger ? "danger" : "primary"}
        busy={form.acting.value}
        disabled={possible === 0 || form.editInvalid.value}
      >
        {words.verb} {possible > 0 ? counted(possible, words.noun) : words.noun}
      </Button>
    </div>
  );
}

function ReasonField({ reason, of }: { readonly reason: Signal<string>; readonly of: string }) {
  return (
    <label class="field">
      <span>Reason (optional; stored with the {of})</span>
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
