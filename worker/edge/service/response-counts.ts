// Counts the responses of this isolate for `GET /metrics`.

/** The number of responses by method, kind of path and status. */
export const responseCounts = new Map<string, number>();
const answeredMost = 500;

/** Counts a response. `what` is the kind of the path, because the number of paths is unbounded. */
export function countResponse(method: string, what: "sandbox" | "control" | "page", status: number): void {
  const methodLabel = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method) ? method : "other";
  const key = `method="${methodLabel}",kind="${what}",code="${status}"`;
  if (!responseCounts.has(key) && responseCounts.size >= answeredMost) return;
  responseCounts.set(key, (responseCounts.get(key) ?? 0) + 1);
}
