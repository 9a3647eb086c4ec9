// The post step, which the runner runs at the end of the job, also of a job that failed or was cancelled: deletes the sandbox.
import { SandbarError } from "../client/index.ts";
import { client, input, runStep } from "./inputs.ts";

await runStep(async () => {
  const id = process.env["STATE_id"];
  if (!id || input("delete") !== "true") return;
  try {
    await client().deleteSandbox(id);
    console.log(`sandbox ${id} is deleted`);
  } catch (error) {
    // A step of the job may have deleted it.
    if (!(error instanceof SandbarError && error.status === 404)) throw error;
  }
});
