// Runs kubectl command lines for the page around a frame.
import { systemClock } from "../../../shared/base/clock.ts";
import { systemRandom } from "../../../shared/base/random.ts";
import type { ClusterAccess } from "../../api/cluster.ts";
import { connectionTo } from "../../api/connection.ts";
import { memoryFiles } from "../../kubectl/files.ts";
import { newKubectl } from "../../kubectl/kubectl.ts";
import type { ClusterConnection, Surroundings } from "../../kubectl/surroundings.ts";
import { wordsIn } from "./line-words.ts";

export interface CommandLine {
  /** Runs `kubectl get pods`, also without its first word. `input` is the standard input. Returns both outputs combined. */
  run(line: string, input?: string): Promise<{ exitCode: number; output: string }>;
}

/** The maximum length of the output. More is truncated. */
const outputCharacters = 1_000_000;
/** The time in milliseconds after which a command line is ended. */
const longestMs = 60_000;

export function commandLine(
  access: ClusterAccess,
  { namespace, user }: { readonly namespace: string; readonly user: string },
): CommandLine {
  const kubectl = newKubectl(surroundings(connectionTo(access, "sandbox"), namespace, user));
  return {
    run: async (line, input = "") => {
      const words = wordsIn(line);
      if (["kubectl", "k"].includes(words[0] ?? "")) words.shift();
      let output = "";
      const print = (text: string) => {
        output = (output + text).slice(0, outputCharacters);
      };
      const signal = AbortSignal.timeout(longestMs);
      const exitCode = await kubectl.run(words, {
        out: print,
        err: print,
        input: () => Promise.resolve(input),
        signal,
      });
      return { exitCode, output };
    },
  };
}

function surroundings(
  { name, server, fetch, socket }: ClusterConnection,
  namespace: string,
  user: string,
): Surroundings {
  return {
    fetch,
    socket,
    context: { name, cluster: name, user, server, namespace: namespace || "default" },
    files: memoryFiles({}, "/home"),
    clock: systemClock,
    random: systemRandom,
    wait: (ms, signal) =>
      new Promise((done) => {
        const timer = setTimeout(done, ms);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          done();
        });
      }),
  };
}
