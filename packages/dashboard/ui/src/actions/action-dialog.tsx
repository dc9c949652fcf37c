import type { Signal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Failure, Loading } from "../components/notice.tsx";
import { counted } from "../format/number.ts";
import { TimesEditor } from "../schedules/times-editor.tsx";
import { UpcomingRuns } from "../schedules/upcoming-runs.tsx";
import type { AllItems } from "./all-items.ts";
import { useActionForm, type ActionForm } from "./action-form.ts";
import { LimitFields } from "./limit-fields.tsx";
import { InputEditor } from "./input-editor.tsx";
import { dismissOffer, hasChange, hasReason, offered, wordsFor, type ActionOffer } from "./offer.ts";
import { SignalFields } from "./signal-fields.tsx";
import { PreviewResults } from "./preview-results.tsx";

/** Shows what an action would do and asks for confirmation. */
export function ActionDialog() {
  const offer = offered.value;
  return offer === undefined ? null : <Confirmation offer={offer} />;
}

function Confirmation({ offer }: { readonly offer: ActionOffer }) {
  const { action, ids, editFor, schedule, waitingType } = offer;
  const words = wordsFor[action];
  const form = useActionForm(offer);
  const preview = form.preview.value;
  const error = form.error.value;
  const isIncomplete = waitingType !== undefined && form.sent.value.signal === "";
  return (
    <Dialog
      title={`${words.verb}: ${offer.all === undefined ? counted(ids.length, words.noun) : countOf(offer.all, words.noun)}`}
      wide={editFor !== undefined || schedule !== undefined}
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
        {hasChange(action) ? <LimitFields action={action} change={form.change} /> : null}
        {waitingType === undefined ? null : <SignalFields sent={form.sent} invalid={form.editInvalid} />}
        {hasReason(action) ? (
          <ReasonField
            reason={form.reason}
            kept={hasChange(action) ? "passed to the audit" : `stored with the ${words.noun}`}
          />
        ) : null}
        {action === "delete" ? <CascadeField cascade={form.cascade} /> : null}
        {schedule === undefined ? null : <TimesEditor times={form.times} invalid={form.editInvalid} />}
        {preview === undefined && error === undefined && !isIncomplete ? (
          <Loading rows={2} label="Loading the preview" />
        ) : null}
        {preview === undefined ? null : <PreviewResults preview={preview} />}
        {offer.all === undefined ? null : (
          <p class="muted">
            This is checked for the first {ids.length}. All that match then are taken in batches, each with a line in
            the audit. Keep this tab open; you can look at other pages and stop it at any time.
          </p>
        )}
        {schedule === undefined || preview === undefined || preview.done === 0 ? null : (
          <UpcomingRuns runs={preview.runs} timeZone={form.times.value.timeZone} />
        )}
        {editFor !== undefined ? (
          <InputEditor typeName={editFor} chainIds={ids} edit={form.edit} invalid={form.editInvalid} />
        ) : null}
        {error === undefined ? null : <Failure error={error} />}
        <DialogButtons offer={offer} form={form} />
      </form>
    </Dialog>
  );
}

function countOf({ about }: AllItems, noun: string): string {
  return about === undefined ? `all ${noun}s that match` : `all ${counted(about, noun)}`;
}

function DialogButtons({ offer, form }: { readonly offer: ActionOffer; readonly form: ActionForm }) {
  const { action, all } = offer;
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
        {words.verb}{" "}
        {all !== undefined ? countOf(all, words.noun) : possible > 0 ? counted(possible, words.noun) : words.noun}
      </Button>
    </div>
  );
}

function ReasonField({ reason, kept }: { readonly reason: Signal<string>; readonly kept: string }) {
  return (
    <label class="field">
      <span>Reason (optional; {kept})</span>
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
