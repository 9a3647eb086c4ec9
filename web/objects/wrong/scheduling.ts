// Explains in words why a pod is not scheduled, from the scheduler's message.
import { messages } from "../../messages.ts";

const words = messages.wrong.scheduler;

/**
 * Explains `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) had untolerated taint {a: b}. preemption: …`. Returns other messages
 * unchanged.
 */
export function whyNoNode(message: string): string {
  // The text after the reasons concerns claims and preemption.
  const [record = ""] = message.split(/\. |\.$/);
  const match = /^0\/(\d+) nodes are available: (.*)$/s.exec(record.trim());
  if (!match) return message.trim();
  const [, count = "0", reasons = ""] = match;
  const all = reasons.split(/, (?=\d+ )/).map((reason) => reasonOf(reason.trim()));
  return words.noNode(Number(count), all.join(", "));
}

/** Upstream's reasons, each with its explanation. */
const reasons: readonly (readonly [RegExp, (detail: string) => string])[] = [
  [/^Insufficient (.+)$/, words.resource],
  [/^node\(s\) had untolerated taint(?:\(s\))? ?(.*)$/, words.taint],
  [/^node\(s\) didn't match Pod's node affinity\/selector$/, () => words.selector],
  [/^node\(s\) didn't match pod affinity rules$/, () => words.affinity],
  [/^node\(s\) didn't match pod anti-affinity rules$/, () => words.antiAffinity],
  [/^node\(s\) were unschedulable$/, () => words.cordoned],
  [/^node\(s\) didn't have free ports for the requested pod ports$/, () => words.ports],
  [/^node\(s\) didn't match pod topology spread constraints/, () => words.spread],
  [/^Too many pods$/, () => words.full],
  [/^node\(s\) had volume node affinity conflict$/, () => words.volume],
];

function reasonOf(text: string): string {
  const [, count = "", what = text] = /^(\d+) (.*)$/s.exec(text) ?? [];
  for (const [pattern, say] of reasons) {
    const match = pattern.exec(what);
    if (match) return words.has(count, say(match[1] ?? ""));
  }
  return words.other(count, what);
}
