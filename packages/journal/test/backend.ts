import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openWithContent } from "./content.ts";
import { createFakeDisk } from "./fake-disk.ts";

/** A folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const big = { segmentBytes: 100_000 };

/** Opens a journal for a case, closes it and opens it again when the case has ended, and compares what is there. */
export async function openReopened() {
  const disk = createFakeDisk();
  const { adapter, content } = await openWithContent(disk, big);
  return {
    adapter,
    close: async () => {
      const before = content();
      await adapter.close();
      const again = await openWithContent(createFakeDisk(disk.files()), big);
      expect(again.content()).toEqual(before);
      await again.adapter.close();
    },
  };
}
