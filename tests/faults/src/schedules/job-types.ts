import { defineJobTypes } from "chainwright";

/** What the schedules start. */
export const tickingJobTypes = defineJobTypes<{ ticked: { entry: true; input: null; output: null } }>();
