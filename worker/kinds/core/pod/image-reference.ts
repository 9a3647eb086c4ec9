// Parses image references: `registry:5000/name:tag@sha256:...`.

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const domain = "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?";
const longestName = 255;
const reference = new RegExp(
  `^(?:${domain}/)?${component}(?:/${component})*(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** Returns the tag: `latest` if there is neither tag nor digest, "" if there is only a digest or the reference is malformed. */
export function imageTag(image: string): string {
  const match = reference.exec(image);
  if (!match || /^[0-9a-f]{64}$/.test(image)) return "";
  const [, tag, digest] = match;
  const nameLength = image.length - (tag ? tag.length + 1 : 0) - (digest?.length ?? 0);
  if (nameLength > longestName) return "";
  return tag ?? (digest ? "" : "latest");
}
