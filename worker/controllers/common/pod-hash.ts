// Computes the pod-template-hash, which is part of the names of a ReplicaSet and its pods.
import type { PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { dumpOfPodTemplate } from "../../../shared/schema/go-dump.ts";

export const defaultDeploymentUniqueLabelKey = "pod-template-hash";

/** Returns upstream's value: 32-bit FNV-1a of the dumped struct and the collision count. */
export function computeHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = fnv1a(fnvOffset, new TextEncoder().encode(dumpOfPodTemplate(template)));
  if (collisionCount !== undefined) hash = fnv1a(hash, littleEndian64(collisionCount));
  return safeEncodeString(String(hash));
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

function fnv1a(start: number, bytes: Iterable<number>): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0;
  return hash;
}

/** Encodes a count as upstream does: an unsigned 32-bit number in eight bytes. */
function littleEndian64(count: number): number[] {
  return [0, 8, 16, 24].map((shift) => (count >>> shift) & 0xff).concat([0, 0, 0, 0]);
}

/** Maps each character to one of 27 characters that form no words, by its code modulo 27. */
export function safeEncodeString(text: string): string {
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return [...text].map((character) => alphabet[character.charCodeAt(0) % alphabet.length]).join("");
}

/** Sorts the keys at every level, so that their order in the request does not matter. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}
