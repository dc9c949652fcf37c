import { Presets, SingleBar } from "cli-progress";

/** The progress of a part of the run: a bar on a terminal, single lines elsewhere. */
export interface Progress {
  update(done: number, total: number): void;
  /** Prints a line in between. */
  say(line: string): void;
  end(): void;
}

/** @param what the counted things: "files" */
export function createProgress(what: string, isTerminal: boolean): Progress {
  return isTerminal ? createBar(what) : createLines(what);
}

function createBar(what: string): Progress {
  const format = ` {bar} {percentage} %  {value} of {total} ${what}  {duration_formatted}`;
  const bar = new SingleBar({ format, stream: process.stdout, barsize: 30, fps: 20 }, Presets.shades_classic);
  let shown: { readonly done: number; readonly total: number } | undefined;
  let ended = false;
  const draw = (done: number, total: number): void => {
    if (ended) return;
    if (shown === undefined) bar.start(total, done);
    else bar.update(done);
    shown = { done, total };
  };
  return {
    update: draw,
    say(line) {
      const before = shown;
      bar.stop();
      console.log(line);
      shown = undefined;
      if (before !== undefined) draw(before.done, before.total);
    },
    end() {
      ended = true;
      bar.stop();
    },
  };
}

const linesInAll = 10;

function createLines(what: string): Progress {
  let next = 0;
  return {
    update(done, total) {
      if (done < next) return;
      console.log(` ${String(percentOf(done, total)).padStart(3)} %  ${done} of ${total} ${what}`);
      next =
        done === total
          ? Infinity
          : Math.min(total, (Math.floor((done / total) * linesInAll) + 1) * (total / linesInAll));
    },
    say: (line) => console.log(line),
    end: () => void (next = Infinity),
  };
}

function percentOf(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((done / total) * 100);
}
