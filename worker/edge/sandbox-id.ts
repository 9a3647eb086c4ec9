// A sandbox's id: 80 random bits and a tag over them, so that an invented id is known as such without asking anyone. Which of two tags it
// is says whether the sandbox lets in who shows no credentials.
import { type Secret, secretValues } from "../../shared/base/secret.ts";
import { isTag, randomText, tag } from "./mac.ts";

const randomLength = 16;
const tagLength = 10;
const shape = new RegExp(`^[a-z2-7]{${randomLength + tagLength}}$`);

export interface SandboxIdFacts {
  /** Requests without credentials may wake the sandbox. */
  readonly anonymousAccess: boolean;
}

export async function newSandboxId(secret: Secret, { anonymousAccess }: SandboxIdFacts): Promise<string> {
  const random = randomText(randomLength);
  return random + (await tag(secret, purposeOf(anonymousAccess), random, tagLength));
}

/** Whether a text could be an id at all; says nothing of its tag. */
export function looksLikeSandboxId(text: string): boolean {
  return shape.test(text);
}

/** Whether this service made the id. The sandbox may be gone by now. */
export async function isSandboxId(secret: Secret, text: string): Promise<boolean> {
  return (await readSandboxId(secret, text)) !== undefined;
}

/** What the id says of its sandbox; undefined for an id that this service did not make. */
export async function readSandboxId(secret: Secret, text: string): Promise<SandboxIdFacts | undefined> {
  if (!looksLikeSandboxId(text)) return undefined;
  const [random, given] = [text.slice(0, randomLength), text.slice(randomLength)];
  for (const anonymousAccess of [false, true]) {
    if (await isTag(secret, purposeOf(anonymousAccess), random, given, tagLength)) return { anonymousAccess };
  }
  return undefined;
}

/** Returns the value of the secret that made an id. */
export async function valueOfSandboxId(secret: Secret, id: string): Promise<string | undefined> {
  for (const value of secretValues(secret)) if (await isSandboxId(value, id)) return value;
  return undefined;
}

function purposeOf(anonymousAccess: boolean): string {
  return anonymousAccess ? "open-id" : "id";
}
