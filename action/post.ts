// The post step, which the runner runs at the end of the job, also of a job that failed or was cancelled: deletes the sandbox.
import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbar, SandbarError } from "../client/index.ts";
import { client, input, runLabel, runStep } from "./inputs.ts";

/** The pauses before each attempt to find a sandbox whose creation was cut off, because the service may still be creating it. */
const pausesMs = [0, 1000, 5000];

await runStep(async () => {
  const { STATE_id: id, STATE_run: run, STATE_refused: isRefused } = process.env;
  if (input("delete") !== "true") return;
  if (id) await deleteById(client(), id);
  else if (run && !isRefused) await deleteByRun(client(), run);
});

async function deleteById(sandbar: Sandbar, id: string): Promise<void> {
  try {
    await sandbar.deleteSandbox(id);
    console.log(`sandbox ${id} is deleted`);
  } catch (error) {
    // A step of the job may have deleted it.
    if (!(error instanceof SandbarError && error.status === 404)) throw error;
  }
}

async function deleteByRun(sandbar: Sandbar, run: string): Promise<void> {
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs);
    const ids = await sandbar.deleteSandboxes({ [runLabel]: run });
    for (const id of ids) console.log(`sandbox ${id} is deleted`);
    if (ids.length > 0) return;
  }
}
