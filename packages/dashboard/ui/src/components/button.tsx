import type { ComponentChildren } from "preact";
import type { IconNode } from "lucide";
import { Icon } from "./icon.tsx";

interface ButtonProps {
  readonly onClick?: () => void;
  readonly icon?: IconNode | undefined;
  readonly kind?: "plain" | "primary" | "danger" | "quiet" | undefined;
  readonly type?: "button" | "submit" | undefined;
  readonly small?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly busy?: boolean | undefined;
  readonly pressed?: boolean | undefined;
  readonly title?: string | undefined;
  /** The accessible name, if there is no text or the text is not enough. */
  readonly label?: string | undefined;
  readonly children?: ComponentChildren;
}

export function Button({ onClick, icon, kind = "plain", type = "button", small, ...rest }: ButtonProps) {
  const { disabled = false, busy = false, pressed, title, label, children } = rest;
  const bare = children === undefined ? " button-bare" : "";
  return (
    <button
      type={type}
      class={`button button-${kind}${small === true ? " button-small" : ""}${bare}`}
      onClick={onClick}
      disabled={disabled || busy}
      aria-busy={busy}
      aria-pressed={pressed}
      aria-label={label}
      title={title ?? (children === undefined ? label : undefined)}
    >
      {icon === undefined ? null : <Icon of={icon} />}
      {children}
    </button>
  );
}
