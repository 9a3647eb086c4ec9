// Removes the WebSocket upgrade from the headers of a request.

/** The edge answers the upgrade; the cluster still receives the protocols. */
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
