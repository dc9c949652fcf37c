import { CircleAlert, CircleCheck, X } from "lucide";
import { SweepList } from "../actions/sweep-list.tsx";
import { dismiss, messages } from "../data/messages.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      <SweepList />
      {messages.value.map(({ id, kind, text }) => (
        <div key={id} class="message" data-kind={kind}>
          <Icon of={kind === "done" ? CircleCheck : CircleAlert} />
          <span>{text}</span>
          <Button kind="quiet" small icon={X} label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
