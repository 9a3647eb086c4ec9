// ETags in the client: a read returns the resource with its tag, and a write with a tag is refused if the resource has changed since.

type Fetch = typeof globalThis.fetch;

/** Sends `If-Match` with every write. */
export function matching(fetch: Fetch, etag: string): Fetch {
  return (input, init) => {
    if ((init?.method ?? "GET") === "GET") return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set("if-match", etag);
    return fetch(input, { ...init, headers });
  };
}

/** Calls `note` with the tag of each answer that has one. */
export function noting(fetch: Fetch, note: (etag: string) => void): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const etag = answer.headers.get("etag");
    if (etag !== null) note(etag);
    return answer;
  };
}
