import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type {
  ActionRequest,
  ActResponse,
  EditOperation,
  LimitNumbers,
  PreviewResponse,
  ScheduleTimesEdit,
} from "../../../src/protocol/actions.ts";
import type { SignalToSend } from "../../../src/protocol/signals.ts";
import { post } from "../data/api.ts";
import { say } from "../data/messages.ts";
import { counted } from "../format/number.ts";
import { timesOf } from "../schedules/times.ts";
import { sweep } from "./sweep.ts";
import { dismissOffer, hasChange, hasReason, wordsFor, type ActionOffer } from "./offer.ts";

/** What the user enters before an action, its preview, and its confirmation. */
export interface ActionForm {
  readonly reason: Signal<string>;
  readonly cascade: Signal<boolean>;
  readonly edit: Signal<readonly EditOperation[]>;
  /** With `edit-schedule`. */
  readonly times: Signal<ScheduleTimesEdit>;
  readonly editInvalid: Signal<boolean>;
  /** With `send-signal`. */
  readonly sent: Signal<SignalToSend>;
  readonly change: Signal<LimitNumbers>;
  /** Undefined until loaded. */
  readonly preview: ReadonlySignal<PreviewResponse | undefined>;
  /** The error of the last preview or confirmation, if it failed. */
  readonly error: ReadonlySignal<unknown>;
  readonly acting: ReadonlySignal<boolean>;
  readonly confirm: () => void;
}

/** Returns the state of the form for one offered action. */
export function useActionForm(offer: ActionOffer): ActionForm {
  const { action, ids, editFor, allowed, schedule, waitingType } = offer;
  const reason = useSignal("");
  const cascade = useSignal(false);
  const edit = useSignal<readonly EditOperation[]>([]);
  const times = useSignal<ScheduleTimesEdit>(schedule === undefined ? {} : timesOf(schedule));
  // Nothing is sent before a signal has a name.
  const editInvalid = useSignal(waitingType !== undefined);
  const change = useSignal<LimitNumbers>({ concurrency: allowed?.concurrency, rate: allowed?.rate });
  const sent = useSignal<SignalToSend>({ typeName: waitingType ?? "", signal: "", payload: null });
  const acting = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const request = useComputed<ActionRequest>(() => ({
    action,
    ids,
    ...(action === "delete" ? { cascade: cascade.value } : {}),
    ...(hasChange(action) ? { change: change.value } : {}),
    ...(edit.value.length > 0 && editFor !== undefined ? { edit: edit.value, typeName: editFor } : {}),
    ...(waitingType === undefined ? {} : { signal: sent.value }),
    ...(schedule === undefined ? {} : { times: times.value, ifRevision: schedule.revision }),
  }));
  const preview = usePreview(request.value, error);

  const confirm = () => {
    const trimmed = reason.value.trim();
    const wanted = { ...request.value, ...(hasReason(action) && trimmed !== "" ? { reason: trimmed } : {}) };
    if (offer.all !== undefined) {
      void sweep(wanted, offer.all, offer.onDone);
      dismissOffer();
      return;
    }
    acting.value = true;
    post("act", wanted)
      .then(
        (response) => finish(offer, response),
        (failure: unknown) => {
          error.value = failure;
        },
      )
      .finally(() => {
        acting.value = false;
      });
  };
  return { reason, cascade, edit, times, editInvalid, sent, change, preview, error, acting, confirm };
}

/** Loads the preview of an action, again whenever the request changes. */
function usePreview(request: ActionRequest, error: Signal<unknown>): ReadonlySignal<PreviewResponse | undefined> {
  const preview = useSignal<PreviewResponse | undefined>(undefined);
  useEffect(() => {
    let stale = false;
    // The preview of the previous request does not apply to this one.
    preview.value = undefined;
    if (request.signal?.signal === "") return undefined;
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

/** Shows the result of an action and closes its dialog. */
function finish({ action, onDone }: ActionOffer, { done, refused, isAudited }: ActResponse): void {
  const words = wordsFor[action];
  const summary = `${words.past} ${counted(done, words.noun)}`;
  say(done > 0 ? "done" : "failed", refused > 0 ? `${summary}; ${refused} refused.` : `${summary}.`);
  if (!isAudited) say("failed", "This was not written to the audit: its log failed. Tell who keeps it.");
  dismissOffer();
  onDone();
}
