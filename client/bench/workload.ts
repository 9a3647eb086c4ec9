// The steps of a workload: files of manifests, or commands of a shell.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const errorCharacters = 2000;

export interface StepOptions {
  readonly kubeconfig: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The time after which a step is ended. */
  readonly limitMs: number;
}

/** Runs a step. Returns the reason if it failed. */
export async function performStep(
  step: string,
  { kubeconfig, environment, limitMs }: StepOptions,
): Promise<string | undefined> {
  const isManifests = existsSync(step) && !step.endsWith(".sh");
  const [program = "", ...words] = isManifests
    ? ["kubectl", "apply", "-f", step]
    : ["sh", "-ec", existsSync(step) ? `. ${JSON.stringify(join(process.cwd(), step))}` : step];
  // A group of its own, so that the step's children end with it.
  const child = spawn(program, words, {
    env: { ...environment, KUBECONFIG: kubeconfig },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let text = "";
  child.stderr.on("data", (bytes: Buffer) => (text = (text + bytes.toString()).slice(-errorCharacters)));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, limitMs);
  const code = await new Promise<number>((resolve) => {
    child.once("error", () => resolve(127));
    child.once("close", (status) => resolve(status ?? 1));
  });
  clearTimeout(timer);
  if (isLate) return `${step}: does not end within ${limitMs / 1000} s`;
  return code === 0 ? undefined : `${step}: ${text.trim() || `exit code ${code}`}`;
}
