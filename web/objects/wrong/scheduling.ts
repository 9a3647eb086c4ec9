// The scheduler's record of why a pod is on no node, in words.

/** Of `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) had untolerated taint {a: b}. preemption: …`; as it is, where it says something else. */
export function whyNoNode(message: string): string {
  // What follows the reasons tells of claims and preemption.
  const [record = ""] = message.split(/\. |\.$/);
  const found = /^0\/(\d+) nodes are available: (.*)$/s.exec(record.trim());
  if (!found) return message.trim();
  const [, count = "0", reasons = ""] = found;
  const all = reasons.split(/, (?=\d+ )/).map((one) => reasonOf(one.trim()));
  return `No node takes it. Of ${count === "1" ? "one node" : `${count} nodes`}, ${all.join(", ")}`;
}

const words: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^Insufficient (.+)$/, ([, what = ""]) => `not enough ${what} left`],
  [
    /^node\(s\) had untolerated taint(?:\(s\))? ?(.*)$/,
    ([, taint = ""]) => `a taint${taint ? ` ${taint}` : ""} that the pod does not tolerate`,
  ],
  [
    /^node\(s\) didn't match Pod's node affinity\/selector$/,
    () => "labels that its node selector or affinity does not want",
  ],
  [/^node\(s\) didn't match pod affinity rules$/, () => "no pod near it that its affinity wants"],
  [/^node\(s\) didn't match pod anti-affinity rules$/, () => "a pod that its anti-affinity keeps away from"],
  [/^node\(s\) were unschedulable$/, () => "been cordoned"],
  [/^node\(s\) didn't have free ports for the requested pod ports$/, () => "the host port taken already"],
  [
    /^node\(s\) didn't match pod topology spread constraints/,
    () => "too many of such pods already for its spread constraints",
  ],
  [/^Too many pods$/, () => "as many pods as they may have"],
  [/^node\(s\) had volume node affinity conflict$/, () => "no way to its volume"],
];

function reasonOf(text: string): string {
  const [, count = "", what = text] = /^(\d+) (.*)$/s.exec(text) ?? [];
  for (const [pattern, say] of words) {
    const found = pattern.exec(what);
    if (found) return `${count} ${count === "1" ? "has" : "have"} ${say(found)}`;
  }
  return count ? `${count}: ${what}` : what;
}
