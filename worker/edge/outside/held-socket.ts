// Holds a client's WebSocket at the edge and passes messages between it and the cluster's socket. The platform keeps the connection of a
// hibernatable socket open for seconds after it was closed; the edge ends the client's connection at once.

/** Replaces the cluster's socket in an upgrade response. */
export function holdSocket(answer: Response): Response {
  const { webSocket: near, headers } = answer;
  if (!near) return answer;
  const { 0: client, 1: far } = new WebSocketPair();
  far.accept();
  near.accept();
  passOn(near, far);
  passOn(far, near);
  return new Response(null, { status: 101, webSocket: client, headers });
}

function passOn(from: WebSocket, to: WebSocket): void {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    attempt(() => to.send(data as string | ArrayBuffer));
  });
  from.addEventListener("close", ({ code, reason }) => {
    const isNamed = code >= 1000 && ![1004, 1005, 1006, 1015].includes(code);
    attempt(() => (isNamed ? to.close(code, reason) : to.close(1011, "the connection broke off")));
    // Answers the close.
    attempt(() => from.close(isNamed ? code : 1000, reason));
  });
  from.addEventListener("error", () => attempt(() => to.close(1011, "the connection broke off")));
}

/** A socket that is closed already throws. */
function attempt(body: () => void): void {
  try {
    body();
  } catch {
    // The other side has ended the connection.
  }
}
