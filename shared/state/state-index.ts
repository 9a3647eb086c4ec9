// The index of a state file: the objects in the order of their keys, and the positions of their texts.
import { limits } from "../base/limits.ts";
import { compareKeys, damaged, type StateHeader, type StateKey } from "./format.ts";
import { areHoles } from "./holes.ts";

/** A row of the index as it is written. The length is that of the text with its holes; fields that most rows do not have come last. */
export type WrittenRow = readonly [
  namespace: string,
  name: string,
  revision: number,
  length: number,
  more?: { readonly owners?: readonly string[]; readonly indexValue?: string; readonly holes?: string },
];

export interface WrittenIndex {
  readonly resources: readonly (readonly [resource: string, rows: readonly WrittenRow[]])[];
  /** For each block the number of its objects, its bytes, and its compressed bytes. */
  readonly blocks: readonly (readonly [objects: number, bytes: number, packed: number])[];
}

export interface StateRow extends StateKey {
  readonly revision: number;
  readonly owners: readonly string[];
  readonly indexValue: string;
  /** Characters of the text with its holes. */
  readonly characters: number;
  readonly holes: string;
  /** The block of the text, and the text's first character there. */
  readonly block: number;
  readonly from: number;
}

interface Block {
  /** The offsets in the file. */
  readonly from: number;
  readonly to: number;
  /** Uncompressed bytes. */
  readonly bytes: number;
}

/** The decoded index. It is immutable, and shared by its readers. */
export interface StateIndex {
  readonly rows: readonly StateRow[];
  readonly blocks: readonly Block[];
  find(key: StateKey): StateRow | undefined;
}

const partName = "its index";
const none: readonly string[] = [];

/** Decodes an index. Throws `StateFileError` if it does not belong to the file. `blocksAt` and `end` are the offsets of the blocks. */
export function decodeIndex(value: unknown, header: StateHeader, blocksAt: number, end: number): StateIndex {
  const { resources, blocks: written } = checked(value);
  const blocks: Block[] = [];
  let at = blocksAt;
  for (const [, bytes, packed] of written) {
    if (bytes > limits.stateBlockBytesMost) throw damaged(partName);
    blocks.push({ from: at, to: at + packed, bytes });
    at += packed;
  }
  const rows: StateRow[] = [];
  const revisions = new Set<number>();
  let [block, from, left] = [-1, 0, 0];
  for (const [resource, list] of resources) {
    for (const [namespace, name, revision, characters, more] of list) {
      if (left === 0) [block, from, left] = [block + 1, 0, written[block + 1]?.[0] ?? 0];
      const { owners = none, indexValue = "", holes = "" } = more ?? {};
      const row = { resource, namespace, name, revision, owners, indexValue, characters, holes, block, from };
      const last = rows.at(-1);
      if (left === 0 || revision > header.revision || (last && compareKeys(last, row) >= 0)) throw damaged(partName);
      rows.push(row);
      revisions.add(revision);
      from += characters;
      left -= 1;
    }
  }
  const isComplete = at === end && left === 0 && block === blocks.length - 1;
  if (!isComplete || rows.length !== header.objects || revisions.size !== rows.length) throw damaged(partName);
  return { rows, blocks, find: (key) => findRow(rows, key) };
}

/** Checks the index. There are many rows, so they are checked by hand, not by a schema. */
function checked(value: unknown): WrittenIndex {
  if (!isRecord(value)) throw damaged(partName);
  const { resources, blocks } = value;
  const isValid =
    Array.isArray(resources) &&
    resources.every(
      (block) => isPair(block) && typeof block[0] === "string" && Array.isArray(block[1]) && block[1].every(isRow),
    ) &&
    Array.isArray(blocks) &&
    blocks.every((block) => Array.isArray(block) && block.length === 3 && block.every(isCount) && block[0] !== 0);
  if (!isValid) throw damaged(partName);
  // Everything has been checked above.
  return value as unknown as WrittenIndex;
}

function isRow(row: unknown): boolean {
  if (!Array.isArray(row)) return false;
  const [namespace, name, revision, length, more] = row as readonly unknown[];
  const isKey = typeof namespace === "string" && typeof name === "string";
  return isKey && isCount(revision) && revision > 0 && isCount(length) && (more === undefined || isMore(more));
}

function isMore(more: unknown): boolean {
  if (!isRecord(more)) return false;
  const { owners = none, indexValue = "", holes = "" } = more;
  const areTexts = Array.isArray(owners) && owners.every((owner) => typeof owner === "string");
  return areTexts && typeof indexValue === "string" && typeof holes === "string" && areHoles(holes);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function findRow(rows: readonly StateRow[], key: StateKey): StateRow | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && compareKeys(row, key) < 0) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row && compareKeys(row, key) === 0 ? row : undefined;
}
