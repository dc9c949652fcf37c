import { defineJobTypes } from "chainwright";

export const ingestionJobTypes = defineJobTypes<{
  "report.write": {
    entry: true;
    input: { name: string };
    output: { documents: number; words: number };
    blockers: [..."document.read"[]];
  };
  "document.read": { entry: true; input: { text: string }; continueWith: "document.count" };
  "document.count": { input: { text: string }; output: { words: number } };
}>();
