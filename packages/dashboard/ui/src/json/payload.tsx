import { useSignal } from "@preact/signals";
import type { PayloadView } from "../../../src/protocol/views.ts";
import { Button } from "../components/button.tsx";
import { Failure } from "../components/notice.tsx";
import { get } from "../data/api.ts";
import { formatBytes } from "../format/number.ts";
import { JsonView } from "./json-view.tsx";

interface PayloadProps {
  readonly payload: PayloadView;
  readonly part: "input" | "output";
  readonly jobId: string;
  /** The text to show if there is no payload. */
  readonly none: string;
}

/** An input or output. A large one is loaded on request. */
export function Payload({ payload, part, jobId, none }: PayloadProps) {
  const loaded = useSignal<PayloadView | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const shown = loaded.value ?? payload;

  const load = () => {
    busy.value = true;
    get("job", { id: jobId })
      .then(
        ({ job }) => {
          loaded.value = job[part];
          error.value = undefined;
        },
        (failure: unknown) => {
          error.value = failure;
        },
      )
      .finally(() => {
        busy.value = false;
      });
  };

  if (shown.kind === "none") return <p class="muted">{none}</p>;
  if (shown.kind === "unreadable") return <p class="muted">{shown.summary}</p>;
  if (shown.kind === "value") return <JsonView value={shown.value} bytes={shown.bytes} label={part} />;
  return (
    <div class="json-large">
      <Button busy={busy.value} onClick={load}>
        Load {formatBytes(shown.bytes)}
      </Button>
      {error.value === undefined ? null : <Failure error={error.value} />}
    </div>
  );
}
