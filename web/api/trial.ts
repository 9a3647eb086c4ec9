// A trial: a small sandbox for an hour, for who has no key. Its token lives as long as the tab.
import { signal } from "@preact/signals";
import type { Challenge } from "../../shared/contract/hosted/trial.ts";
import { solvedChallenge } from "./work.ts";
import type { SandboxWithToken } from "../../shared/contract/sandbox.ts";
import { asking, posting } from "./control.ts";

const storageKey = "sandbar.trial";
const ask = asking(undefined);

/** Nothing, where none was made in this tab. */
export const trial = signal<SandboxWithToken | undefined>(kept());

/** Does the work first, which takes some seconds. */
export async function makeTrial(stop: AbortSignal): Promise<void> {
  // The API answers what its contract says.
  const challenge = (await (await ask("/v1/trial")).json()) as Challenge;
  const answer = await solvedChallenge(challenge, stop);
  const made = await ask("/v1/trial", posting({ challenge: challenge.challenge, answer }));
  trial.value = (await made.json()) as SandboxWithToken;
  sessionStorage.setItem(storageKey, JSON.stringify(trial.value));
}

export function forgetTrial(): void {
  sessionStorage.removeItem(storageKey);
  trial.value = undefined;
}

/** As a kubeconfig: JSON is YAML. */
export function kubeconfigOf({ name, server, token }: SandboxWithToken): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token } }],
  };
  return JSON.stringify(config, null, 2);
}

function kept(): SandboxWithToken | undefined {
  const text = sessionStorage.getItem(storageKey);
  // Written above.
  const found = text === null ? undefined : (JSON.parse(text) as SandboxWithToken);
  return found && Date.parse(found.expiresAt) > Date.now() ? found : undefined;
}
