// Normalizes kubectl's output: times, addresses, identities, and counts of events.

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>"],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>"],
  [/sha256:[0-9a-f]{64}/g, "sha256:<digest>"],
  [/containerd:\/\/[0-9a-f]{64}/g, "containerd://<id>"],
  [/\b10\.(244|9\d|1\d\d)\.\d+\.\d+\b/g, "<address>"],
  [/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<id>"],
  [/-[0-9a-f]{7,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-<hash>-<id>"],
  [/\b(pod-template-hash=)[0-9a-f]+/g, "$1<hash>"],
  [/(rollout-stuck|quota-exceeded|drain-blocked)-[0-9a-f]{7,10}\b/g, "$1-<hash>"],
  [/(job-backoff-limit|kindnet|kube-proxy)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-<id>"],
  [/\b(\d+[smhd])+ \(x\d+ over (\d+[smhd])+\)/g, "<age>"],
  [/(^ +(Normal|Warning) +\w+ +)((\d+[smhd])+|<invalid>|<unknown>)( +)/gm, "$1<age>$5"],
  [/\b((\d+[smhd])+|<invalid>)\b(?= *$|\)| +(<|10\.|172\.|v1\.))/gm, "<age>"],
  [/(lasts )\S+\)/g, "$1<age>)"],
  [/(Restart Count: +)[1-9]\d*/g, "$1<count>"],
  [/back-off \S+ restarting/g, "back-off <age> restarting"],
  [/ in \d+m?s \(\d+m?s including waiting\)/g, " in <age> (<age> including waiting)"],
  [/(Node: +)node-\d\/172\.18\.0\.\d/g, "$1<node>"],
  [/(assigned \S+ to )node-\d/g, "$1<node>"],
  [/ node-\d +<none> /g, " <node>  <none> "],
  [/uid: [0-9a-f-]{36}/g, "uid: <uid>"],
  [/(HolderIdentity|RenewTime|AcquireTime): .*/g, "$1: <…>"],
];

export function normalised(text: string): string {
  const lines = replacements
    .reduce((done, [what, by]) => done.replace(what, by), text)
    .split("\n")
    // Who pulls an image first depends on where pods are placed.
    .filter((line) => !/ (Pulling image|Successfully pulled image|Container image \S+ already present)/.test(line))
    // Columns are as wide as what was in them.
    .map((line) =>
      line
        .trimEnd()
        .replace(/(?<=\S) {2,}/g, "  ")
        .replace(/-{3,}/g, "---"),
    );
  return eventsSorted(lines).join("\n");
}

/** Sorts each run of events, because events of one second have no order, and removes repetitions. */
function eventsSorted(lines: readonly string[]): string[] {
  const isEvent = (line = "") => /^ +(Normal|Warning) {2}/.test(line);
  const done: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const end = lines.findIndex((line, index) => index >= at && !isEvent(line));
    if (end > at) done.push(...new Set(lines.slice(at, end).sort()));
    at = Math.max(at, end);
    done.push(lines[at] ?? "");
  }
  return done;
}
