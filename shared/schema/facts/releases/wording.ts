// The words of older releases in messages that are otherwise those of the newest one.
import type { KubernetesVersion } from "../../../k8s/settings/release.ts";

type Wording = readonly [newest: RegExp, older: string | ((match: string, ...groups: string[]) => string)];

/** Before 1.34, values in messages were printed as Go's syntax has them. Structs are not among these: docs/parity.md. */
const goValues: readonly Wording[] = [
  [/(value: )null(?=: (?:some validation|exactly|field is))/g, '$1"null"'],
  [
    /(value: )\[((?:"(?:[^"\\]|\\.){0,200}",?){1,20})\]/g,
    (_, label = "", items = "") => `${label}[]string{${spaced(items)}}`,
  ],
];

const messages: Readonly<Partial<Record<KubernetesVersion, readonly Wording[]>>> = {
  "1.33": [
    ...goValues,
    [/a valid label key must consist of/g, "a qualified name must consist of"],
    [/`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`/g, "`configMapKeyRef` or `secretKeyRef`"],
    [/must be no more than (\d+) bytes/g, "must be no more than $1 characters"],
    [/when `hostUsers` is false/g, "when `pod.Spec.HostUsers` is false"],
  ],
  "1.34": [
    [/a valid label key must consist of/g, "a qualified name must consist of"],
    [/`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`/g, "`configMapKeyRef` or `secretKeyRef`"],
  ],
};

/** Returns a message in the words of a release. */
export function wordedFor(version: KubernetesVersion, message: string): string {
  return (messages[version] ?? []).reduce<string>((text, [newest, older]) => reworded(text, newest, older), message);
}

function reworded(text: string, newest: RegExp, older: Wording[1]): string {
  return typeof older === "string" ? text.replaceAll(newest, older) : text.replaceAll(newest, older);
}

/** Separates the items of a JSON list as Go does. */
function spaced(items: string): string {
  return items.replaceAll('","', '", "');
}
