// An error that keeps Sandbar from starting, and that the user can correct. It is printed as one line.
export class Refusal extends Error {
  override name = "Refusal";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
