// A sandbox's id: 80 random bits and a tag, so that a forged id is rejected without a query. The tag's purpose encodes whether the sandbox
// allows anonymous access.
import { type Secret, secretValues } from "../../shared/base/secret.ts";
import { isTag, randomText, tag } from "./mac.ts";

const randomLength = 16;
const tagLength = 10;
const shape = new RegExp(`^[a-z2-7]{${randomLength + tagLength}}$`);

export interface SandboxIdFacts {
  /** True if requests without credentials can wake the sandbox. */
  readonly anonymousAccess: boolean;
}

export async function newSandboxId(secret: Secret, { anonymousAccess }: SandboxIdFacts): Promise<string> {
  const random = randomText(randomLength);
  return random + (await tag(secret, purposeOf(anonymousAccess), random, tagLength));
}

/** Reports whether a text has the form of an id, without verifying its tag. */
export function looksLikeSandboxId(text: string): boolean {
  return shape.test(text);
}

/** Reports whether this service made the id. The sandbox may be deleted. */
export async function isSandboxId(secret: Secret, text: string): Promise<boolean> {
  return (await readSandboxId(secret, text)) !== undefined;
}

/** Returns the facts that the id encodes, or undefined if this service did not make it. */
export async function readSandboxId(secret: Secret, text: string): Promise<SandboxIdFacts | undefined> {
  if (!looksLikeSandboxId(text)) return undefined;
  const [random, candidate] = [text.slice(0, randomLength), text.slice(randomLength)];
  for (const anonymousAccess of [false, true]) {
    if (await isTag(secret, purposeOf(anonymousAccess), random, candidate, tagLength)) return { anonymousAccess };
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
