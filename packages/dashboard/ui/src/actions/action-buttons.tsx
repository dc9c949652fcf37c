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
}

/** A button for an action, if the user's role permits it; it is off if the database takes no writes. */
export function ActionButton({ text, small, primary = false, label, ...offer }: ActionButtonProps) {
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
      onClick={() => {
        offered.value = offer;
      }}
    >
      {text ?? wordsFor[offer.action].verb}
    </Button>
  );
}
