import type { RecurringView } from "../../../src/protocol/schedules.ts";
import { ActionButton } from "../actions/action-buttons.tsx";

interface ScheduleActionsProps {
  readonly schedule: RecurringView;
  readonly onDone: () => void;
}

/** What can be done with a schedule in the list. */
export function ScheduleActions({ schedule: { id, paused }, onDone }: ScheduleActionsProps) {
  return (
    <>
      <ActionButton action="trigger-schedule" small ids={[id]} label={`Run now: schedule ${id}`} onDone={onDone} />
      {paused ? (
        <ActionButton action="resume-schedule" small ids={[id]} label={`Resume schedule ${id}`} onDone={onDone} />
      ) : (
        <ActionButton action="pause-schedule" small ids={[id]} label={`Pause schedule ${id}`} onDone={onDone} />
      )}
    </>
  );
}

/** What can be done with a schedule on its own page. */
export function AllScheduleActions({ schedule, onDone }: ScheduleActionsProps) {
  const { id, edited } = schedule;
  return (
    <>
      <ScheduleActions schedule={schedule} onDone={onDone} />
      <ActionButton
        action="edit-schedule"
        small
        ids={[id]}
        label={`Edit schedule ${id}`}
        schedule={schedule}
        onDone={onDone}
      />
      {edited.length === 0 ? null : (
        <ActionButton action="reset-schedule" small ids={[id]} label={`Reset schedule ${id}`} onDone={onDone} />
      )}
      <ActionButton action="delete-schedule" small ids={[id]} label={`Delete schedule ${id}`} onDone={onDone} />
    </>
  );
}
