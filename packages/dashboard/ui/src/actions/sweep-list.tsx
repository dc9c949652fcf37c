import { X } from "lucide";
import { Button } from "../components/button.tsx";
import { ProgressBar } from "../components/progress-bar.tsx";
import { now } from "../data/now.ts";
import { counted, formatCount } from "../format/number.ts";
import { wordsFor } from "./offer.ts";
import { stopSweep, sweeps } from "./sweep.ts";

/** Actions on whole groups that are under way. */
export function SweepList() {
  return (
    <>
      {sweeps.value.map(({ id, action, about, done, refused }) => {
        const { past, noun } = wordsFor[action];
        const share = about === undefined || about === 0 ? undefined : Math.min((done + refused) / about, 1);
        const text = `${past} ${about === undefined ? counted(done, noun) : `${formatCount(done)} of about ${counted(about, noun)}`}`;
        return (
          <div key={id} class="message" data-kind="busy">
            <ProgressBar of={{ share, text, at: now.value }} label={text} />
            <Button kind="quiet" small icon={X} label="Stop after this batch" onClick={() => stopSweep(id)} />
          </div>
        );
      })}
    </>
  );
}
