// Inputs that are known to charge too little, or to take too long for one turn. The list may only become shorter.

/** Beginnings of the names of inputs, with the reason. */
const faults: readonly (readonly [beginning: string, reason: string])[] = [
  [
    "state file: 3000 objects",
    "the index of a state's file is read before its cluster has a meter: 3 ms for 3,000 objects",
  ],
];

export function isKnownFault(name: string): boolean {
  return faults.some(([beginning]) => name.startsWith(beginning));
}

export function shortened(name: string): string {
  return name.length > 150 ? `${name.slice(0, 110)} ... (${name.length} characters)` : name;
}
