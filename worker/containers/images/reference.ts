// Parses image references as the container runtime does (upstream: `reference.ParseNormalizedNamed`).

/** The registry of references that name none. */
export const hub = "docker.io";

export interface ImageReference {
  /** The name with registry and, for Docker Hub, `library/`: `docker.io/library/busybox`. */
  readonly name: string;
  /** The last part of the name: `busybox`. */
  readonly base: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
  /** The complete reference, with the default tag `latest`: `docker.io/library/busybox:latest`. */
  readonly text: string;
}

const pathComponent = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const domain = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::\\d+)?";
const referencePattern = new RegExp(
  `^(${domain}/${pathComponent}(?:/${pathComponent})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

/** Parses a reference. Returns upstream's error message if it is invalid. */
export function parseImage(image: string): ImageReference | { readonly error: string } {
  if (/^[a-f0-9]{64}$/.test(image)) {
    return { error: `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings` };
  }
  const [registry, rest] = split(image);
  const repository = rest.split(/[:@]/, 1)[0] ?? "";
  if (repository !== repository.toLowerCase()) {
    return { error: `invalid reference format: repository name (${repository}) must be lowercase` };
  }
  const match = referencePattern.exec(`${registry}/${rest}`);
  if (!match) return { error: "invalid reference format" };
  const [, name = "", givenTag, digest] = match;
  const tag = givenTag ?? (digest === undefined ? "latest" : undefined);
  return {
    name,
    base: name.slice(name.lastIndexOf("/") + 1),
    tag,
    digest,
    text: `${name}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`,
  };
}

/** Splits off the registry (upstream: `splitDockerDomain`): the part before the first slash, if it looks like a host. */
function split(image: string): [string, string] {
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  const isHost = first !== "" && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const registry = isHost && first !== "index.docker.io" ? first : hub;
  const rest = isHost ? image.slice(slash + 1) : image;
  return [registry, registry === hub && !rest.includes("/") ? `library/${rest}` : rest];
}
