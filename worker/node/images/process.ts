// What a container's process does: how long it runs, how it ends, and whether it heeds SIGTERM.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container } from "../../../shared/k8s/api/core-v1.ts";
import { knownImage } from "./catalogue.ts";
import { forever, type Outcome } from "./outcome.ts";
import { runProgram } from "./programs.ts";
import { parseImage } from "./reference.ts";

export interface Process {
  /** Milliseconds from start to its own end; Infinity for a server. */
  readonly runsMs: number;
  readonly exitCode: number;
  /** Why it ended, as the runtime says. */
  readonly reason: "Completed" | "Error" | "OOMKilled";
  /** The first process of a container ignores SIGTERM unless it handles it: shells and `sleep` do not. */
  readonly heedsTerm: boolean;
}

/** A crash on start takes this long to be reached. */
const failsAfterMs = 500;

export function processOf(container: Container): Process {
  const outcome = outOfMemory(container) ?? run(container);
  const reason = outcome.oom ? "OOMKilled" : outcome.exitCode === 0 ? "Completed" : "Error";
  return {
    runsMs: outcome.runsMs,
    exitCode: outcome.exitCode,
    reason,
    heedsTerm: outcome.heedsTerm ?? false,
  };
}

function run(container: Container): Outcome & { readonly oom?: boolean } {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  if (container.command?.length) return runProgram(words);
  const reference = parseImage(container.image ?? "");
  const known = "error" in reference ? undefined : knownImage(reference);
  if (known?.needsEnvironment && !hasOneOf(container, known.needsEnvironment)) {
    return { runsMs: failsAfterMs, exitCode: 1 };
  }
  if (known?.entry === "once") return { runsMs: 0, exitCode: 0 };
  if (known?.entry !== "shell") return { ...forever, heedsTerm: true };
  // A shell image runs its arguments as a command; without any it reads a terminal that nobody types into.
  if (words.length > 0) return runProgram(words);
  return container.stdin ? forever : { runsMs: 0, exitCode: 0 };
}

function hasOneOf(container: Container, names: readonly string[]): boolean {
  if (container.envFrom?.length) return true;
  return (container.env ?? []).some((one) => names.includes(one.name) && (one.value !== "" || one.valueFrom));
}

/** `stress --vm-bytes 250M` in a container that may have 100Mi is ended by the kernel. */
function outOfMemory(container: Container): (Outcome & { readonly oom: true }) | undefined {
  const words = [...(container.command ?? []), ...(container.args ?? [])].flatMap((word) => word.split(/\s+/));
  const limit = container.resources.limits?.["memory"];
  const at = words.indexOf("--vm-bytes");
  if (limit === undefined || at < 0 || !words.some((word) => /(^|\/)stress(-ng)?$/.test(word))) return undefined;
  const wanted = /^(\d+)([KMG]?)B?$/i.exec(words[at + 1] ?? "");
  if (!wanted) return undefined;
  const unit = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[(wanted[2] ?? "").toUpperCase()] ?? 1;
  return Number(wanted[1]) * unit > quantityValue(limit)
    ? { runsMs: failsAfterMs, exitCode: 137, oom: true }
    : undefined;
}
