// The scheduler's record of why a pod is on no node, in words.
import { messages } from "../../messages.ts";

const words = messages.wrong.scheduler;

/** Of `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) had untolerated taint {a: b}. preemption: …`; as it is, where it says something else. */
export function whyNoNode(message: string): string {
  // What follows the reasons tells of claims and preemption.
  const [record = ""] = message.split(/\. |\.$/);
  const found = /^0\/(\d+) nodes are available: (.*)$/s.exec(record.trim());
  if (!found) return message.trim();
  const [, count = "0", reasons = ""] = found;
  const all = reasons.split(/, (?=\d+ )/).map((one) => reasonOf(one.trim()));
  return words.noNode(Number(count), all.join(", "));
}

/** Upstream's reasons, each with what it says of those nodes. */
const reasons: readonly (readonly [RegExp, (found: string) => string])[] = [
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
    const found = pattern.exec(what);
    if (found) return words.has(count, say(found[1] ?? ""));
  }
  return words.other(count, what);
}
