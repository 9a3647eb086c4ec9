// The owner of a sandbox as its row has it: a hash, so that nothing of a deleted person remains.
import { hashOf } from "../mac.ts";

const length = 20;

export async function ownerColumn(kind: "person" | "key", id: string): Promise<string> {
  return (await hashOf(`owner ${kind} ${id}`)).slice(0, length);
}
