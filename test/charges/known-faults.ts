// Inputs that charge too little or take too long for one turn. The list may only become shorter.

/** Beginnings of the names of inputs, with the reason. */
const faults: readonly (readonly [beginning: string, reason: string])[] = [
  ["state file: 3000", "the index of a state's file is read before its cluster has a meter: 3 ms, and nothing charged"],
  ["server-side apply: many: m1", "an apply that gives up fields of 10,000 walks all of them six times: 55 to 110 ms"],
  ["patch: json: 10000 moves", "10,000 keys that move are new in the turn that stores them: 60 ms"],
  [
    "rule of a schema: self.l.",
    "a custom resource of 10,000 entries is owned, validated and decoded again: 50 to 55 ms",
  ],
];

export function isKnownFault(name: string): boolean {
  return faults.some(([beginning]) => name.startsWith(beginning));
}

export function shortened(name: string): string {
  return name.length > 150 ? `${name.slice(0, 110)} ... (${name.length} characters)` : name;
}
