// How templates are named: `name`, which is the newest version, or `name@version`; and the ids of versions, which only the service uses.
import { randomText } from "../../mac.ts";

const idShape = /^tpl[a-z2-7]{20}$/;

export function newTemplateId(): string {
  return `tpl${randomText(20)}`;
}

/** A snapshot's begins otherwise, a sandbox's is longer. */
export function isTemplateId(text: string): boolean {
  return idShape.test(text);
}

export interface TemplateRef {
  readonly name: string;
  /** Undefined: the newest. */
  readonly version: number | undefined;
}

/** Undefined for what can name none. */
export function readTemplateRef(text: string): TemplateRef | undefined {
  const [, name, version] = /^([a-z0-9][-a-z0-9]{0,62})(?:@(\d{1,9}))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, version: version === undefined ? undefined : Number(version) };
}

export function refOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name}@${version}`;
}
