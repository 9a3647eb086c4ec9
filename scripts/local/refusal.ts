// What keeps Sandbar from starting and is for the user to change: printed as one line.
export class Refusal extends Error {
  override name = "Refusal";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
