import { openEditor, type Editor } from "./editor.ts";
import type { Compiler } from "./compilers.ts";
import type { Projects } from "./projects.ts";
import type { Scenario } from "./scenarios/all.ts";

/** How long an editor waits for what to offer, or to show. */
export interface CompletionFigure {
  readonly what: string;
  readonly compiler: string;
  /** With the program just opened. */
  readonly firstMs: number;
  /** The median of further requests, each after an edit. */
  readonly thenMs: number;
  /** The number of names, or the length of the text that is shown. */
  readonly offered: number;
}

const furtherRequests = 5;

/** Places in a program: the text there is replaced by `typed`, and completion is requested at its end. */
interface Place {
  readonly what: string;
  /** The last occurrence of this text. */
  readonly at: RegExp;
  readonly typed: string;
  /** Asks what is shown for the last name of `typed`, instead of what is offered after it. */
  readonly shows?: boolean;
}

const places: readonly Place[] = [
  {
    what: "the name of a chain to start",
    at: /startChain\(\{ tx, typeName: "[^"]*/gu,
    typed: 'startChain({ tx, typeName: "',
  },
  { what: "a property of job.input", at: /job\.input\.\w+/gu, typed: "job.input." },
  {
    what: "the target of continueWith",
    at: /continueWith\(\{ typeName: "[^"]*/gu,
    typed: 'continueWith({ typeName: "',
  },
  { what: "what a handler is given", at: /async \(\{ job, prepare/gu, typed: "async ({ job, pre" },
  { what: "hover over an awaited output", at: /ended\.output/gu, typed: "ended.output", shows: true },
  {
    what: "hover over startChain",
    at: /started = await client\.startChain/gu,
    typed: "started = await client.startChain",
    shows: true,
  },
];

export async function measureCompletion(
  projects: Projects,
  scenario: Scenario,
  compilers: readonly Compiler[],
): Promise<readonly CompletionFigure[]> {
  const project = projects.write(scenario, false);
  const figures: CompletionFigure[] = [];
  for (const compiler of compilers) {
    for (const place of places) {
      const editor = await openEditor(compiler, project);
      try {
        figures.push(await measurePlace(editor, project.text, place, compiler.version));
      } finally {
        await editor.close();
      }
    }
  }
  return figures;
}

async function measurePlace(editor: Editor, text: string, place: Place, compiler: string): Promise<CompletionFigure> {
  const found = [...text.matchAll(place.at)].at(-1);
  if (found === undefined) throw new Error(`the program has no place for ${place.what}`);
  const typed = text.slice(0, found.index) + place.typed + text.slice(found.index + found[0].length);
  const position = found.index + place.typed.length;
  const times: number[] = [];
  let offered = 0;
  for (let request = 0; request <= furtherRequests; request += 1) {
    // Each request sees another text: an editor asks after a key was pressed.
    editor.open(`${typed}\n// ${request}\n`);
    const startedAt = performance.now();
    offered =
      place.shows === true ? (await editor.hover(position - 1)).length : (await editor.complete(position)).length;
    times.push(performance.now() - startedAt);
  }
  const [firstMs = 0, ...further] = times;
  further.sort((a, b) => a - b);
  return { what: place.what, compiler, firstMs, thenMs: further[Math.floor(further.length / 2)] ?? 0, offered };
}
