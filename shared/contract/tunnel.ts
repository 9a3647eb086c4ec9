// What a sandbox and the command at the other end of a tunnel say to each other: text frames, each one of these as JSON. `ping` is
// answered with `pong`, and wakes nobody.
import { z } from "zod";

export const tunnelPath = "/sandbar/tunnel";

const headers = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

export const tunnelCall = z.object({
  id: z.string(),
  method: z.string(),
  /** With its query. */
  path: z.string(),
  /** Who the answerer's certificate must be made out to. */
  serverName: z.string(),
  /** PEM, in base64: the only authorities that may have signed it; absent: those that the machine trusts. */
  caBundle: z.string().optional(),
  /** Any certificate will do. */
  insecure: z.boolean().optional(),
  /** Who asks, for a server that wants to see it: PEM. */
  client: z.object({ certificate: z.string(), key: z.string() }).optional(),
  headers,
  /** In base64. */
  body: z.string(),
  /** Of a stream, until it begins. */
  timeoutMs: z.number(),
  /** The answer comes as `TunnelPiece`s. */
  stream: z.boolean().optional(),
});

export type TunnelCall = z.infer<typeof tunnelCall>;

export const tunnelAnswer = z.union([
  z.object({ id: z.string(), status: z.number(), headers, body: z.string() }),
  /** Why there is no answer, as Go's HTTP client words it. */
  z.object({ id: z.string(), error: z.string() }),
]);

export type TunnelAnswer = z.infer<typeof tunnelAnswer>;

/**
 * An answer in pieces: how it begins, what it consists of, its end. It may end with an error at any time. The command sends no more than
 * `streamWindowBytes` that it was not told (`TunnelOrder`) to have been taken by whoever asked.
 */
export const tunnelPiece = z.union([
  z.object({ id: z.string(), status: z.number(), headers }),
  /** In base64. */
  z.object({ id: z.string(), piece: z.string() }),
  z.object({ id: z.string(), end: z.literal(true) }),
  z.object({ id: z.string(), error: z.string() }),
]);

export type TunnelPiece = z.infer<typeof tunnelPiece>;

export const streamWindowBytes = 262_144;

/** What the command is told of a stream: how many more bytes were taken, or that nobody wants the rest. */
export const tunnelOrder = z.union([
  z.object({ id: z.string(), took: z.number() }),
  z.object({ id: z.string(), stop: z.literal(true) }),
]);

export type TunnelOrder = z.infer<typeof tunnelOrder>;

/** The same for one who is told where to ask: scheme, host and port. */
export const directCall = tunnelCall.extend({ origin: z.string() });

export type DirectCall = z.infer<typeof directCall>;

/**
 * Node beside a Worker that runs on a user's machine answers a `DirectCall`: at `/` with a `TunnelAnswer`, at `/stream` with the server's
 * body as it comes, the rest of the answer (or the error) in a header, as JSON in URI encoding. An upgrade has the call in a header.
 */
export const nodeHeaders = { call: "sandbar-call", answer: "sandbar-answer", error: "sandbar-error" } as const;

/** Answered by Node when the local service has said that it is ready: what a cluster does by itself waits for that. */
export const openedPath = "/opened";

/** Node is posted what stands in a sign-in link, and answers the local key; 404: it is not the link's, which is used up or too old. */
export const signInLinkPath = "/sign-in-link";

/**
 * Node is sent a DELETE for the file of a Durable Object: this path, and the object's id in hexadecimal. 204: the file was damaged and is
 * gone; 409: SQLite can read it; 404: there is none.
 */
export const objectFilePath = "/objects/";

/** What the object answers the edge for a request that the edge passes on to a server outside; see `internalHeaders.outside`. */
export type Directions =
  | { readonly way: "direct"; readonly call: DirectCall }
  /** The request is sent once more, as an upgrade with `outside: join`; the socket that is the answer carries `TunnelPiece`s. */
  | { readonly way: "tunnel" };
