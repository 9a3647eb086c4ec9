// Which images the simulated registries hold, and containerd's words for the others: Docker's official images have the names and versions of
// the catalogue, and every other organisation has every image whose name is no typing error of a well-known one and does not say itself that
// it does not exist.
import { stableHash, stableHex } from "../../../shared/base/stable.ts";
import { hasTag, knownImage } from "./catalogue.ts";
import { isMisspelledOnHub } from "./hub.ts";
import { isOfficial, officialSize } from "./official.ts";
import { hub, type ImageReference } from "./reference.ts";

/** A host, a repository or a tag with one of these in its name is not there. */
const absentNames = /does-?no?t-?exist|non-?existent|not-?found|invalid|no-?such|missing-tag|^404$/;

export interface PulledImage {
  /** `docker.io/library/busybox@sha256:...` */
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
  const known = knownImage(reference)?.sizeBytes;
  if (known !== undefined) return known;
  const size = reference.name === `${hub}/library/${reference.base}` ? officialSize(reference.base) : undefined;
  const odd = stableHash(reference.name);
  return size === undefined ? 20_000_000 + (odd % 180_000_000) : size + (odd % 1_000_000);
}

/** What the kubelet says of why an image cannot be pulled; undefined if it can. `isTrusted`: somebody says that it is there. */
export function pullProblem(reference: ImageReference, isTrusted: () => boolean): string | undefined {
  const { name, tag } = reference;
  const failed = failedPull(reference);
  const [host = "", ...path] = name.split("/");
  if (absentNames.test(host)) {
    const asked = `https://${host}/v2/${path.join("/")}/manifests/${tag ?? reference.digest ?? ""}`;
    return `${failed} failed to do request: Head "${asked}": dial tcp: lookup ${host} on 172.18.0.1:53: no such host`;
  }
  // The kubelet leaves out the code where it is Unknown.
  if (path.some((part) => absentNames.test(part)) || (!isThere(host, path) && !isTrusted())) {
    return `${failed} pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`;
  }
  if (tag === undefined || (!absentNames.test(tag) && (hasTag(reference) || isTrusted()))) return undefined;
  return notFoundProblem(reference);
}

function failedPull({ text }: ImageReference): string {
  return `failed to pull and unpack image "${text}": failed to resolve reference "${text}":`;
}

/** The kubelet's message for a tag that the repository does not have. */
export function notFoundProblem(reference: ImageReference): string {
  return `rpc error: code = NotFound desc = ${failedPull(reference)} ${reference.text}: not found`;
}

/** Whether there is such a repository. */
function isThere(host: string, path: readonly string[]): boolean {
  if (host !== hub) return true;
  const [organisation = "", repository = "", ...more] = path;
  if (more.length > 0) return false;
  return organisation === "library" ? isOfficial(repository) : !isMisspelledOnHub(organisation, repository);
}
