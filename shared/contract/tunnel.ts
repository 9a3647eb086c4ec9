// The messages between a sandbox and the command at the other end of a tunnel: text frames, each one of these as JSON. `ping` is answered
// with `pong` without waking the cluster.
import * as z from "zod";

export const tunnelPath = "/sandbar/tunnel";

/** The bytes of a stream that are sent before the receiver confirms any, and of one message. */
export const streamWindowBytes = 262_144;
export const pieceBytes = 65_536;
/** The maximum characters of one message of a stream: a piece in base64, or a head. */
export const pieceCharacters = 131_072;

const headers = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

export const tunnelCall = z.object({
  id: z.string(),
  method: z.string(),
  /** The path with its query. */
  path: z.string(),
  /** The host name in the server's certificate. */
  serverName: z.string(),
  /** The PEM in base64 of the only accepted certificate authorities. Absent for those of the machine. */
  caBundle: z.string().optional(),
  /** True to accept any certificate. */
  insecure: z.boolean().optional(),
  /** The PEM of the client certificate. */
  client: z.object({ certificate: z.string(), key: z.string() }).optional(),
  headers,
  /** The body in base64. */
  body: z.string(),
  /** The timeout, of a stream until its first byte. */
  timeoutMs: z.number(),
  /** True if the response is sent as `TunnelPiece`s. */
  stream: z.boolean().optional(),
  /** The protocol to which a stream's connection is upgraded: after a 101 response, bytes flow in both directions. */
  upgrade: z.string().optional(),
});

export type TunnelCall = z.infer<typeof tunnelCall>;

export const tunnelAnswer = z.union([
  z.object({ id: z.string(), status: z.number(), headers, body: z.string() }),
  /** The reason of a missing response, worded as Go's HTTP client. */
  z.object({ id: z.string(), error: z.string() }),
]);

export type TunnelAnswer = z.infer<typeof tunnelAnswer>;

const status = z.int().min(101).max(599);
const tookBytes = z
  .int()
  .min(0)
  .max(2 * streamWindowBytes);

/**
 * A response in chunks: its head, its data, its end. It can end with an error at any time. The command sends at most `streamWindowBytes`
 * before a `TunnelOrder` confirms that the client has received data. On an upgraded connection the edge is bound in the same way.
 */
export const tunnelPiece = z.union([
  z.object({ id: z.string(), status, headers }),
  /** The data in base64. */
  z.object({ id: z.string(), piece: z.string() }),
  z.object({ id: z.string(), end: z.literal(true) }),
  z.object({ id: z.string(), error: z.string() }),
  /** The number of further bytes of the client that the server has received. */
  z.object({ id: z.string(), took: tookBytes }),
]);

export type TunnelPiece = z.infer<typeof tunnelPiece>;

/**
 * An order to the command about a stream: the number of further bytes that the client has received, its cancellation, or the client's data
 * in base64.
 */
export const tunnelOrder = z.union([
  z.object({ id: z.string(), took: tookBytes }),
  z.object({ id: z.string(), stop: z.literal(true) }),
  z.object({ id: z.string(), piece: z.string() }),
]);

export type TunnelOrder = z.infer<typeof tunnelOrder>;

/** The last message of a tunnel that the sandbox closes, with the reason, since not every client learns it from the close of the socket. */
export const tunnelEnded = z.object({ ended: z.string() });

export type TunnelEnded = z.infer<typeof tunnelEnded>;

/** A call with its destination: scheme, host and port. */
export const directCall = tunnelCall.extend({ origin: z.string() });

export type DirectCall = z.infer<typeof directCall>;

/**
 * The headers of the Node.js process beside a Worker on a user's machine, which answers a `DirectCall`. At `/` the response is a
 * `TunnelAnswer`. At `/stream` it is the server's body, and a header has the rest of the response (or the error) as JSON in URI encoding.
 * An upgrade has the call in a header.
 */
export const nodeHeaders = { call: "sandbar-call", answer: "sandbar-answer", error: "sandbar-error" } as const;

/** The path that the Node.js process answers when the local service is ready. Clusters start their own work after that. */
export const openedPath = "/opened";

/**
 * The path to which the secret of a sign-in link is posted; the response is the local key. 404 means that the link is used up or expired.
 */
export const signInLinkPath = "/sign-in-link";

/**
 * The path prefix of DELETE requests for the file of a Durable Object, followed by the number of its process, a slash, and the object's id
 * in hexadecimal. 204: the file was
 * damaged and is removed; 409: SQLite can read it; 404: it does not exist.
 */
export const objectFilePath = "/objects/";

/** The response of the object for a request that the edge forwards to an outside server; see `internalHeaders.outside`. */
export type Directions =
  | { readonly way: "direct"; readonly call: DirectCall }
  /**
   * The request is repeated as an upgrade with `outside: join`. The socket of the response carries `TunnelPiece`s, the first within
   * `timeoutMs`. With `wordsErrors` the object words the server's error responses.
   */
  | { readonly way: "tunnel"; readonly timeoutMs: number; readonly wordsErrors?: boolean };
