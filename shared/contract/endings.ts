// The reasons why the service closes a client's WebSocket: from the object to the edge, and to the client of a tunnel.

/** The close code for a permanent end. A new connection is refused. */
export const endedCode = 1008;

export const endings = {
  revoked: "the token was revoked",
  expired: "the token has expired",
  gone: "the sandbox has expired or was deleted",
  suspended: "the sandbox is suspended",
} as const;
