// The trial: a small sandbox for an hour without a key. Its token is stored for the lifetime of the tab.
import { signal } from "@preact/signals";
import type { Challenge } from "../../shared/contract/hosted/trial.ts";
import { solvedChallenge } from "./work.ts";
import type { SandboxWithToken } from "../../shared/contract/sandbox.ts";
import { asking, posting } from "./control.ts";

const storageKey = "sandbar.trial";
const ask = asking(undefined);

/** The trial of this tab, or undefined. */
export const trial = signal<SandboxWithToken | undefined>(storedTrial());

/** Solves the challenge, which takes some seconds, and creates the sandbox. */
export async function makeTrial(stop: AbortSignal): Promise<void> {
  // The response conforms to the contract of the API.
  const challenge = (await (await ask("/v1/trial")).json()) as Challenge;
  const answer = await solvedChallenge(challenge, stop);
  const response = await ask("/v1/trial", posting({ challenge: challenge.challenge, answer }));
  trial.value = (await response.json()) as SandboxWithToken;
  sessionStorage.setItem(storageKey, JSON.stringify(trial.value));
}

export function forgetTrial(): void {
  sessionStorage.removeItem(storageKey);
  trial.value = undefined;
}

/** Returns a kubeconfig as JSON, which is also YAML. */
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

function storedTrial(): SandboxWithToken | undefined {
  const text = sessionStorage.getItem(storageKey);
  // Written by the code above.
  const sandbox = text === null ? undefined : (JSON.parse(text) as SandboxWithToken);
  return sandbox && Date.parse(sandbox.expiresAt) > Date.now() ? sandbox : undefined;
}
