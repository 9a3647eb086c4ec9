// The command `sandbar tunnel`: what `npm run tunnel` does, with the kubeconfig of a sandbox where one is named.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { parse } from "yaml";
import { readArguments } from "../tunnel/arguments.ts";
import { holdTunnel } from "../tunnel/hold.ts";
import { readTarget, targetOf } from "../tunnel/kubeconfig.ts";
import { UsageError } from "./given.ts";

interface Around {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  say(text: string): void;
  readonly signal: AbortSignal;
}

/** `config` is the text of a kubeconfig; absent: `--kubeconfig` or the environment names one. */
export async function tunnel(words: readonly string[], config: string | undefined, around: Around): Promise<void> {
  const asked = reading(() => readArguments(words, around.environment));
  const target = reading(() =>
    config === undefined ? readTarget(asked.kubeconfig, asked.context) : targetOf(parse(config), around.folder),
  );
  const trusted = getCACertificates("default");
  // The way to the sandbox trusts the kubeconfig's authority; what is asked on this side does not.
  if (target.ca) setDefaultCACertificates([target.ca]);
  if (target.insecure) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  await holdTunnel(target, asked, { say: around.say, trusted, signal: around.signal });
}

function reading<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
