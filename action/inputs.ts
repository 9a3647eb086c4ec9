// What the runner of GitHub Actions hands to an action, and takes from it: environment variables, and files of lines.
import { appendFileSync } from "node:fs";
import { Sandbar } from "../client/index.ts";

/** The label by which the post step finds the sandbox of a main step that was cancelled during the creation. */
export const runLabel = "sandbar-action-run";

/** An input as `action.yml` names it; empty where the workflow gives none. */
export function input(name: string): string {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** The lines of an input that are not empty. */
export function lines(name: string): string[] {
  return input(name)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Adds a pair to the file that a variable names: `GITHUB_OUTPUT`, `GITHUB_ENV`, or `GITHUB_STATE` for the post step. */
export function set(variable: "GITHUB_ENV" | "GITHUB_OUTPUT" | "GITHUB_STATE", name: string, value: string): void {
  appendFileSync(process.env[variable] ?? "", `${name}=${value}\n`);
}

/** Keeps a secret out of the log. */
export function mask(secret: string): void {
  console.log(`::add-mask::${secret}`);
}

export function client(): Sandbar {
  return new Sandbar({ url: input("server"), key: input("api-key") });
}

/** Runs a step. A failure is shown as the runner shows errors, and fails the step. */
export async function runStep(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

export function fail(message: string): void {
  for (const line of message.split("\n")) console.log(`::error::${line}`);
  process.exitCode = 1;
}
