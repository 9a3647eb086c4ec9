// The simulated registries, and containerd's errors for missing images. Docker's official images have the names and versions of the catalogue.
// Every other organisation has every image, unless its name is a misspelling of a well-known one or says itself that it does not exist.
import { stableHash, stableHex } from "../../../shared/base/stable.ts";
import { hasTag, knownImage } from "./catalogue.ts";
import { isMisspelledOnHub } from "./hub.ts";
import { isOfficial, officialSize } from "./official.ts";
import { hub, type ImageReference } from "./reference.ts";

/** A host, a repository or a tag whose name contains one of these does not exist. */
const absentNames = /does-?no?t-?exist|non-?existent|not-?found|invalid|no-?such|missing-tag|^404$/;

export interface PulledImage {
  /** The digest reference: `docker.io/library/busybox@sha256:...`. */
  readonly id: string;
  readonly sizeBytes: number;
}

export function pulledImage(reference: ImageReference): PulledImage {
  const digest = reference.digest ?? `sha256:${stableHex(reference.text, 64)}`;
  return {
    id: `${reference.name}@${digest}`,
    sizeBytes: sizeOf(reference),
  };
}

function sizeOf(reference: ImageReference): number {
  const knownBytes = knownImage(reference)?.sizeBytes;
  if (knownBytes !== undefined) return knownBytes;
  const size = reference.name === `${hub}/library/${reference.base}` ? officialSize(reference.base) : undefined;
  const odd = stableHash(reference.name);
  return size === undefined ? 20_000_000 + (odd % 180_000_000) : size + (odd % 1_000_000);
}

/** Returns the kubelet's message if an image cannot be pulled. `isTrusted`: reports whether a user declared that it exists. */
export function pullProblem(reference: ImageReference, isTrusted: () => boolean): string | undefined {
  const { name, tag } = reference;
  const failed = failedPull(reference);
  const [host = "", ...path] = name.split("/");
  if (absentNames.test(host)) {
    const manifestUrl = `https://${host}/v2/${path.join("/")}/manifests/${tag ?? reference.digest ?? ""}`;
    return `${failed} failed to do request: Head "${manifestUrl}": dial tcp: lookup ${host} on 172.18.0.1:53: no such host`;
  }
  // The kubelet leaves out the code if it is Unknown.
  if (path.some((segment) => absentNames.test(segment)) || (!isThere(host, path) && !isTrusted())) {
    return `${failed} pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`;
  }
  if (tag === undefined || (!absentNames.test(tag) && (hasTag(reference) || isTrusted()))) return undefined;
  return notFoundProblem(reference);
}

function failedPull({ text }: ImageReference): string {
  return `failed to pull and unpack image "${text}": failed to resolve reference "${text}":`;
}

/** Returns the kubelet's message for a tag that the repository does not have. */
export function notFoundProblem(reference: ImageReference): string {
  return `rpc error: code = NotFound desc = ${failedPull(reference)} ${reference.text}: not found`;
}

/** Reports whether a repository exists. */
function isThere(host: string, path: readonly string[]): boolean {
  if (host !== hub) return true;
  const [organisation = "", repository = "", ...more] = path;
  if (more.length > 0) return false;
  return organisation === "library" ? isOfficial(repository) : !isMisspelledOnHub(organisation, repository);
}
