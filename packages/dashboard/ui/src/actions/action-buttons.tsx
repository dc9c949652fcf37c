import { useSignal } from "@preact/signals";
import {
  Ban,
  CirclePause,
  CirclePlay,
  Pencil,
  Play,
  RotateCcw,
  Send,
  SlidersHorizontal,
  Trash2,
  Undo2,
  type IconNode,
} from "lucide";
import type { Action } from "../../../src/protocol/actions.ts";
import { Button } from "../components/button.tsx";
import { sayFailure } from "../data/messages.ts";
import { may, readOnly } from "../data/session.ts";
import { offered, wordsFor, type ActionOffer } from "./offer.ts";

const icons: Readonly<Record<Action, IconNode>> = {
  retry: RotateCcw,
  trigger: Play,
  cancel: Ban,
  delete: Trash2,
  "send-signal": Send,
  pause: CirclePause,
  resume: CirclePlay,
  "change-limit": SlidersHorizontal,
  "reset-limit": Undo2,
  "pause-limit": CirclePause,
  "resume-limit": CirclePlay,
  "pause-schedule": CirclePause,
  "resume-schedule": CirclePlay,
  "trigger-schedule": Play,
  "edit-schedule": Pencil,
  "reset-schedule": Undo2,
  "delete-schedule": Trash2,
};

interface ActionButtonProps extends ActionOffer {
  /** Default: the verb of the action. */
  readonly text?: string | undefined;
  readonly small?: boolean | undefined;
  readonly primary?: boolean | undefined;
  readonly label?: string | undefined;
  /** What the button offers when it is pressed, if the page does not have all ids. */
  readonly complete?: (() => Promise<Pick<ActionOffer, "ids" | "all">>) | undefined;
}

/** A button for an action, if the user's role permits it; it is off if the database takes no writes. */
export function ActionButton({ text, small, primary = false, label, complete, ...offer }: ActionButtonProps) {
  const busy = useSignal(false);
  if (!may(offer.action)) return null;
  const reason = readOnly();
  return (
    <Button
      icon={icons[offer.action]}
      small={small}
      kind={primary ? "primary" : "plain"}
      label={label}
      disabled={offer.ids.length === 0 || reason !== undefined}
      title={reason}
      busy={busy.value}
      onClick={() => {
        if (complete === undefined) {
          offered.value = offer;
          return;
        }
        busy.value = true;
        complete()
          .then((items) => {
            offered.value = { ...offer, ...items };
          }, sayFailure)
          .finally(() => {
            busy.value = false;
          });
      }}
    >
      {text ?? wordsFor[offer.action].verb}
    </Button>
  );
}
