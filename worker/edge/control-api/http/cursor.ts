// Encodes the position of the next page of a list as an opaque text.
import { invalidField } from "../body.ts";
import type { PageAfter } from "../../db/directory.ts";

export function encodeCursor({ createdAtMs, id }: PageAfter): string {
  return `${createdAtMs.toString(36)}-${id}`;
}

export function decodeCursor(text: string): PageAfter {
  const match = /^([0-9a-z]{1,11})-([a-z0-9]{1,63})$/.exec(text);
  if (!match?.[1] || !match[2]) throw invalidField("cursor", "is not a cursor");
  return { createdAtMs: Number.parseInt(match[1], 36), id: match[2] };
}
