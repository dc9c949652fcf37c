import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeChecks } from "../src/summary.ts";
import { createFolder } from "./demo.ts";
import { indexLibrary } from "./library.ts";

async function indexThreeFiles() {
  const folder = await createFolder();
  for (const name of ["a", "b", "c"]) writeFileSync(join(folder, name), name);
  return { folder, ...(await indexLibrary(folder)) };
}

describe("the check of the effects", () => {
  it("finds nothing if nothing is wrong", async () => {
    const { report, checkDigests, checkEffects } = await indexThreeFiles();
    const effects = await checkEffects();
    expect(effects).toMatchObject({ jobs: 11, attempts: 11, repeated: 0, steps: 8, effects: 8, lost: 0, doubled: 0 });
    const { lines, right } = describeChecks(report, await checkDigests(), effects);
    expect(lines.at(-1)).toBe("0 lost, 0 doubled, 0 wrong");
    expect(right).toBe(true);
  });

  it("finds a step that completed without its effect", async () => {
    const { report, database, checkDigests, checkEffects } = await indexThreeFiles();
    database.exec("delete from effect where path = 'b' and type_name = 'file.catalog'");
    const effects = await checkEffects();
    expect(effects).toMatchObject({ lost: 1, doubled: 0 });
    expect(describeChecks(report, await checkDigests(), effects).right).toBe(false);
  });

  it("finds an effect that was written twice", async () => {
    const { report, database, checkDigests, checkEffects } = await indexThreeFiles();
    database.exec("insert into effect select * from effect where path = 'b' and type_name = 'file.catalog'");
    const effects = await checkEffects();
    expect(effects).toMatchObject({ lost: 0, doubled: 1 });
    expect(describeChecks(report, await checkDigests(), effects).right).toBe(false);
  });

  it("finds one lost and one duplicated step, although their total is right", async () => {
    const { database, checkEffects } = await indexThreeFiles();
    database.exec("insert into effect select * from effect where path = 'b' and type_name = 'file.catalog'");
    database.exec("delete from effect where path = 'c' and type_name = 'file.catalog'");
    expect(await checkEffects()).toMatchObject({ lost: 1, doubled: 1 });
  });

  it("finds an effect of a step that never completed", async () => {
    const { database, checkEffects } = await indexThreeFiles();
    database.exec(
      "insert into effect (job_id, chain_id, type_name, path, amount) values ('x', 'x', 'file.catalog', 'x', 1)",
    );
    expect(await checkEffects()).toMatchObject({ lost: 0, doubled: 1 });
  });
});

describe("the check of the digests", () => {
  it("finds a digest that is not the file's", async () => {
    const folder = await createFolder();
    for (const name of ["a", "b"]) writeFileSync(join(folder, name), name);
    const path = join(folder, "b");
    utimesSync(path, 1, 1);
    const { report, checkDigests, checkEffects } = await indexLibrary(folder);
    // Only the bytes differ.
    writeFileSync(path, "B");
    utimesSync(path, 1, 1);
    const digests = await checkDigests();
    expect(digests).toMatchObject({ files: 2, right: 1, wrong: ["b"], changed: [] });
    expect(describeChecks(report, digests, await checkEffects()).right).toBe(false);
  });

  it("reports files that were changed or deleted since, and does not check them", async () => {
    const { folder, report, checkDigests, checkEffects } = await indexThreeFiles();
    writeFileSync(join(folder, "a"), "another text");
    rmSync(join(folder, "b"));
    const digests = await checkDigests();
    expect(digests).toMatchObject({ right: 1, wrong: [] });
    expect(digests.changed.sort()).toEqual(["a", "b"]);
    const { lines, right } = describeChecks(report, digests, await checkEffects());
    expect(lines.join("\n")).toContain("changed since it was read, so it cannot be checked: 2 files:");
    expect(right).toBe(true);
  });
});
