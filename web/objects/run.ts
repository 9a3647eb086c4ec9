// Runs kubectl lines for the console's buttons. The kubectl of the page loads on first use.
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { type ClusterAccess, ask, socketWith } from "../api/cluster.ts";
import { memoryFiles } from "../kubectl/files.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a line. `files` are the files that it names, such as `web.yaml`. */
export async function runKubectl(
  access: ClusterAccess,
  words: readonly string[],
  files: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const [{ newKubectl }, token] = await Promise.all([import("../kubectl/kubectl.ts"), access.tokenSource(false)]);
  const kubectl = newKubectl({
    fetch: (path, init) => ask(access, path, init),
    socket: (path, protocols) => socketWith(access.id, token, path, protocols),
    context: { name: "sandbox", cluster: "sandbox", user: "sandbox", server: location.origin, namespace: "default" },
    files: memoryFiles(Object.fromEntries(Object.entries(files).map(([name, text]) => [`/${name}`, text]))),
    clock: systemClock,
    random: systemRandom,
    wait: (ms, until) =>
      new Promise((done) => {
        const timer = setTimeout(done, ms);
        until.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
      }),
  });
  const output = { out: "", err: "" };
  const code = await kubectl.run(words, {
    out: (text) => void (output.out += text),
    err: (text) => void (output.err += text),
    input: () => Promise.resolve(""),
    signal,
  });
  return { code, ...output };
}

/** Formats words as a shell line: `kubectl scale deployment/web --replicas=3`. */
export function lineOf(words: readonly string[]): string {
  return ["kubectl", ...words]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}
