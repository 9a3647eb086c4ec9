// Finds the sandbox that a command refers to.
import { type Sandbar, SandbarError } from "../index.ts";
import type { Run } from "./command-run.ts";
import { UsageError } from "./values.ts";

const idShape = /^[a-z2-7]{26}$/;

/** Returns the id of the sandbox that `--sandbox` or `SANDBAR_SANDBOX` names, or of the only sandbox that exists. */
export async function sandboxOf(run: Run): Promise<string> {
  const nameOrId = run.text("sandbox") ?? run.environment["SANDBAR_SANDBOX"];
  if (nameOrId) return idOf(run.client, nameOrId);
  const { sandboxes } = await run.client.listSandboxes({ limit: 2 });
  const [only, second] = sandboxes;
  if (!only) throw new UsageError("there is no sandbox: create one with `sandbar create`");
  if (second) throw new UsageError("there are several sandboxes: name one with --sandbox, or in SANDBAR_SANDBOX");
  return only.id;
}

/** Returns the id of a sandbox by its id, or by its name if the name is unique. */
export async function idOf(client: Sandbar, word: string): Promise<string> {
  if (idShape.test(word)) return word;
  const { sandboxes } = await client.listSandboxes({ name: word, limit: 2 });
  const [first, second] = sandboxes;
  if (second) throw new UsageError(`several sandboxes are named ${word}: name one by its id`);
  if (!first) throw new SandbarError(404, { code: "not_found", message: `there is no sandbox named ${word}` });
  return first.id;
}
