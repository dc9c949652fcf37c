import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly wide?: boolean | undefined;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus inside, closes on Escape and returns the focus. */
export function Dialog({ title, wide = false, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);

  const closeFromBackdrop = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };

  return (
    <dialog
      ref={element}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={closeFromBackdrop}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" icon={X} label="Close" onClick={onClose} />
      </div>
      {children}
    </dialog>
  );
}
