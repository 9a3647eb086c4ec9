// Inputs that are known to charge too little, or to take too long for one turn. The list may only become shorter.

/** Beginnings of the names of inputs, with the reason. */
const faults: readonly (readonly [beginning: string, reason: string])[] = [
  [
    "rule of a schema: ",
    "a custom resource of thousands of entries is decoded, owned, validated and encoded in one turn",
  ],
  ["patch: ", "a patch of an object of 10,000 entries is applied in one turn"],
  ["server-side apply: ", "managed fields of 10,000 paths are compared in one turn"],
  ["YAML: many aliases", "an object of 10,000 entries is written in one turn"],
  ["YAML: many keys", "an object of 10,000 entries is written in one turn"],
  ["JSON: ", "an object of 15,000 entries is written in one turn"],
  ["printer columns: 60 filters over", "the objects of 8,000 entries are read in one turn"],
  ["databases: mongosh", "the interpreter is made, and its library read, before a step is counted"],
  [
    "databases: python3 -c 'import sqlite3",
    "SQLite's steps and those of the interpreter are counted at too low a price",
  ],
  ["interpreters: python3", "calls from the interpreter to the host are counted at too low a price"],
  ["interpreters: node", "the interpreter's big integers and collection of garbage are counted at too low a price"],
  [
    "nginx: ",
    "a server's answers are worked out again for each visit, and its expressions compiled, at too low a price",
  ],
];

export function isKnownFault(name: string): boolean {
  return faults.some(([beginning]) => name.startsWith(beginning));
}

export function shortened(name: string): string {
  return name.length > 150 ? `${name.slice(0, 110)} ... (${name.length} characters)` : name;
}
