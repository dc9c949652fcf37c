import { useSignal } from "@preact/signals";
import { Check, Copy } from "lucide";
import { useEffect } from "preact/hooks";
import { say } from "../data/messages.ts";
import { Button } from "./button.tsx";

interface CopyButtonProps {
  /** The text to copy; a function if it is expensive to create. */
  readonly text: string | (() => string);
  /** For example `Copy id`. */
  readonly label: string;
  readonly withText?: boolean | undefined;
}

export function CopyButton({ text, label, withText = false }: CopyButtonProps) {
  const copied = useSignal(false);

  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => {
      copied.value = false;
    }, 1_500);
    return () => clearTimeout(timer);
  }, [copied.value]);

  const copy = () => {
    writeClipboard(typeof text === "string" ? text : text()).then(
      () => {
        copied.value = true;
      },
      () => say("failed", "The browser did not allow copying."),
    );
  };

  return (
    <Button
      kind="quiet"
      small
      icon={copied.value ? Check : Copy}
      label={copied.value ? "Copied" : label}
      onClick={copy}
    >
      {withText ? (copied.value ? "Copied" : "Copy") : undefined}
    </Button>
  );
}

/** A page has no clipboard API if it is served without TLS from another machine. */
async function writeClipboard(text: string): Promise<void> {
  if (typeof navigator.clipboard?.writeText !== "function") throw new Error("no clipboard");
  await navigator.clipboard.writeText(text);
}
