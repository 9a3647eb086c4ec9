// Template references: `name` for the newest version, or `name@version`; and the internal ids of versions.
import { randomText } from "../../mac.ts";

const idShape = /^tpl[a-z2-7]{20}$/;

export function newTemplateId(): string {
  return `tpl${randomText(20)}`;
}

/** Distinguishes template ids from snapshot ids, which have another prefix, and from sandbox ids, which are longer. */
export function isTemplateId(text: string): boolean {
  return idShape.test(text);
}

export interface TemplateRef {
  readonly name: string;
  /** The version; undefined for the newest. */
  readonly version: number | undefined;
}

/** Returns undefined if the text is not a reference. */
export function readTemplateRef(text: string): TemplateRef | undefined {
  const [, name, version] = /^([a-z0-9][-a-z0-9]{0,62})(?:@(\d{1,9}))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, version: version === undefined ? undefined : Number(version) };
}

export function refOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name}@${version}`;
}
