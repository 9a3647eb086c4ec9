// The headers of a request for a WebSocket without those of the upgrade itself.

/** The upgrade is answered here; the cluster is told of the protocols all the same. */
export function withoutUpgrade(headers: Headers): Headers {
  const plain = new Headers(headers);
  for (const name of [
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-extensions",
    "content-length",
    "content-type",
  ]) {
    plain.delete(name);
  }
  return plain;
}
