import { findChromium } from "@chainwright/backends/chromium";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { actions } from "./actions.ts";
import { attacks } from "./attacks.ts";
import { batches } from "./batches.ts";
import { builtUi } from "./built-ui.ts";
import { bundle } from "./bundle.ts";

import { groups, onCall } from "./groups.ts";
import { large } from "./large.ts";
import { limits } from "./limits.ts";
import { lost } from "./lost.ts";
import { notes } from "./notes.ts";
import { pages } from "./pages.ts";
import { readOnly } from "./read-only.ts";
import { reading } from "./reading.ts";
import { scheduleEdits, schedules } from "./schedules.ts";
import { searching } from "./searching.ts";
import { signals } from "./signals.ts";

// All parts share one browser and one build; each part has a file of its own.
const executablePath = findChromium();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

beforeAll(async () => {
  await builtUi();
});

describe("the bundle", () => {
  bundle();
});

describe.skipIf(executablePath === undefined)("in a browser", () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    // Chromium's sandbox does not work as root, and containers have little shared memory.
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
  });

  afterAll(async () => {
    await browser?.close();
  });

  const started = (): Browser => {
    if (browser === undefined) throw new Error("the browser did not start");
    return browser;
  };

  describe("pages", () => {
    pages(started);
  });
  describe("reading", () => {
    reading(started);
  });
  describe("searching", () => {
    searching(started);
  });
  describe("large chains", () => {
    large(started);
  });
  describe("a database that takes no writes", () => {
    readOnly(started);
  });
  describe("batches", () => {
    batches(started);
  });
  describe("actions", () => {
    actions(started);
  });
  describe("groups", () => {
    groups(started);
    onCall(started);
  });
  describe("notes", () => {
    notes(started);
  });
  describe("limits", () => {
    limits(started);
  });
  describe("lost", () => {
    lost(started);
  });
  describe("signals", () => {
    signals(started);
  });
  describe("schedules", () => {
    schedules(started);
    scheduleEdits(started);
  });
  describe("attacks", () => {
    attacks(started);
  });
});
