// Why the service ends what a client holds open: how a WebSocket is closed, by the object to the edge and to the holder of a tunnel.

/** A close with this code is for good: whoever opens another in its place is refused. */
export const endedCode = 1008;

export const endings = {
  revoked: "the token was revoked",
  expired: "the token has expired",
  gone: "the sandbox has expired or was deleted",
  suspended: "the sandbox is suspended",
} as const;
