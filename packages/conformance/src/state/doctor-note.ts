import { equal } from "../check.ts";
import { newId } from "./build.ts";
import { examine, findAndMend, healthy } from "./examining.ts";
import { rulesWith } from "./group.ts";
import { line, note, notesOf, running } from "./notes/noting.ts";

export const doctorNoteCases = rulesWith("doctor", "faults", {
  "what was noted about a job that does not exist is found, and deleted": async (fixture) => {
    await healthy(fixture);
    const held = await running(fixture);
    await note(fixture, held, { memos: [{ name: "m", value: "1" }], progress: "2", lines: [line(1)] });
    equal("notes are no fault", await examine(fixture), []);
    await fixture.planting().addNote(newId());
    await findAndMend(fixture, "note-without-job");
    const { memos, progress, lines } = await notesOf(fixture, held.id);
    equal("the others stay", [memos.length, progress?.value, lines.length], [1, "2", 1]);
  },
});
