// A small HTTP client with persistent connections, because fetch would cost more than the measured work.
import { Agent, type IncomingMessage, request } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly token?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns an agent that keeps at most `sockets` connections to an origin. The bench's own certificates are not verified. */
export function connections(sockets: number, origin = "http:"): Agent {
  const options = { keepAlive: true, maxSockets: sockets, scheduling: "fifo" } as const;
  return isTls(origin) ? new TlsAgent({ ...options, rejectUnauthorized: false }) : new Agent(options);
}

function isTls(url: string): boolean {
  return url.startsWith("https:");
}

export async function ask(agent: Agent, url: string, options: Ask = {}): Promise<Answer> {
  const response = await open(agent, url, options);
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += chunk as string;
  return { status: response.statusCode ?? 0, text };
}

/** Returns the answer when its head has arrived; the caller reads the body. */
export function open(agent: Agent, url: string, options: Ask = {}): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = "GET", token, body, headers: more } = options;
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...more,
  };
  const sent = (isTls(url) ? tlsRequest : request)(url, { agent, method, headers }, resolve);
  sent.once("error", (error) => {
    // The server closes idle connections. A request that was sent at that moment was not read.
    const isCrossed = sent.reusedSocket && "code" in error && error.code === "ECONNRESET";
    if (isCrossed) open(agent, url, options).then(resolve, reject);
    else reject(new Error(`${method} ${url}: ${error.message}`, { cause: error }));
  });
  sent.end(body);
  return promise;
}

/** Returns the body of the answer, which must have this status. */
export async function expect(status: number, agent: Agent, url: string, options: Ask = {}): Promise<string> {
  const answer = await ask(agent, url, options);
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer.text;
}

/** Returns the number of bytes of an answer's body, without storing it. */
export async function countBytes(agent: Agent, url: string, options: Ask = {}): Promise<number> {
  const response = await open(agent, url, options);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode ?? 0}`);
  return bytes;
}

/** Runs `job` for each index below `count`, `width` at a time. */
export async function inParallel(
  width: number,
  count: number,
  job: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
