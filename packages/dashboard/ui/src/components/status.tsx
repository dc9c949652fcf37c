import {
  Ban,
  CalendarClock,
  CircleAlert,
  CircleCheck,
  CirclePlay,
  Hourglass,
  LoaderCircle,
  Lock,
  Mail,
  type IconNode,
} from "lucide";
import type { ChainStatus, JobStatus } from "../../../src/protocol/views.ts";
import { Icon } from "./icon.tsx";

export type Status = ChainStatus | JobStatus;

const looks: Readonly<Record<Status, { readonly icon: IconNode; readonly label: string }>> = {
  active: { icon: CirclePlay, label: "Active" },
  ready: { icon: Hourglass, label: "Ready" },
  running: { icon: LoaderCircle, label: "Running" },
  scheduled: { icon: CalendarClock, label: "Scheduled" },
  blocked: { icon: Lock, label: "Blocked" },
  waiting: { icon: Mail, label: "Waiting" },
  completed: { icon: CircleCheck, label: "Completed" },
  failed: { icon: CircleAlert, label: "Failed" },
  cancelled: { icon: Ban, label: "Cancelled" },
};

/** A status as a colour, an icon and a word. */
export function StatusBadge({ status }: { readonly status: Status }) {
  return (
    <span class="badge" data-state={status}>
      <StatusIcon status={status} />
      {looks[status].label}
    </span>
  );
}

export function StatusIcon({ status }: { readonly status: Status }) {
  return <Icon of={looks[status].icon} class="state-icon" />;
}

export function statusLabel(status: Status): string {
  return looks[status].label;
}
