import type { ComponentChildren } from "preact";
import { navigate } from "./place.ts";

interface LinkProps {
  /** An address of `hrefTo`. */
  readonly href: string;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: string | undefined;
  readonly current?: boolean | undefined;
  /** The status that determines its colour. */
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  readonly children: ComponentChildren;
}

/** A link within the dashboard. New tabs, middle clicks and copied addresses work as with any link. */
export function Link({ href, class: className, title, label, current, state, kind, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a
      href={href}
      class={className}
      title={title}
      aria-label={label}
      aria-current={current === true ? "page" : undefined}
      data-state={state}
      data-kind={kind}
      onClick={follow}
    >
      {children}
    </a>
  );
}
