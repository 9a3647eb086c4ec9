// What the simulated registries hold: every image whose name is well formed, but for names that say they do not exist.
import { stableHash, stableHex } from "../../../shared/base/stable.ts";
import { hasTag, knownImage } from "./catalogue.ts";
import type { ImageReference } from "./reference.ts";

/** A repository or a tag with one of these in its name is not there. */
const absentNames = /does-?not-?exist|non-?existent|not-?found|invalid|no-?such|missing-tag|^404$/;

export interface PulledImage {
  /** `docker.io/library/nginx@sha256:...` */
  readonly id: string;
  readonly sizeBytes: number;
}

export function pulledImage(reference: ImageReference): PulledImage {
  const digest = reference.digest ?? `sha256:${stableHex(reference.text, 64)}`;
  return {
    id: `${reference.name}@${digest}`,
    sizeBytes: knownImage(reference)?.sizeBytes ?? 20_000_000 + (stableHash(reference.name) % 180_000_000),
  };
}

/** The runtime's words for why an image cannot be pulled; undefined if it can. */
export function pullProblem(reference: ImageReference): string | undefined {
  const { name, text, tag } = reference;
  const failed = `failed to pull and unpack image "${text}": failed to resolve reference "${text}":`;
  if (absentNames.test(name)) {
    return `rpc error: code = Unknown desc = ${failed} pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`;
  }
  if (tag !== undefined && (absentNames.test(tag) || !hasTag(reference))) {
    return `rpc error: code = NotFound desc = ${failed} ${text}: not found`;
  }
  return undefined;
}
