// A sandbox's id: 80 random bits and a tag over them, so that an invented id is known as such without asking anyone.
import { randomText, sameText, tag } from "./mac.ts";

const randomLength = 16;
const tagLength = 10;
const shape = new RegExp(`^[a-z2-7]{${randomLength + tagLength}}$`);

export async function newSandboxId(secret: string): Promise<string> {
  const random = randomText(randomLength);
  return random + (await tag(secret, "id", random, tagLength));
}

/** Whether a text could be an id at all; says nothing of its tag. */
export function looksLikeSandboxId(text: string): boolean {
  return shape.test(text);
}

/** Whether this service made the id. The sandbox may be gone by now. */
export async function isSandboxId(secret: string, text: string): Promise<boolean> {
  if (!looksLikeSandboxId(text)) return false;
  const expected = await tag(secret, "id", text.slice(0, randomLength), tagLength);
  return sameText(expected, text.slice(randomLength));
}
