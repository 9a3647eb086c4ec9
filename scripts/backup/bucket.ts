// A bucket with the API of S3. Requests are signed by AWS's Signature Version 4.
import { createHash, createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

export interface BucketSettings {
  /** The address of the service, such as https://<account>.r2.cloudflarestorage.com. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}

export interface Bucket {
  hasAny(prefix: string): Promise<boolean>;
  put(key: string, path: string, bytes: number): Promise<void>;
  get(key: string): AsyncIterable<Uint8Array>;
}

/** Reads the variables that the tools of S3 read. */
export function bucketSettings(environment: NodeJS.ProcessEnv): BucketSettings {
  return {
    endpoint: environment.AWS_ENDPOINT_URL,
    region: environment.AWS_REGION,
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
  };
}

/** The largest file that one request can store. */
const maxBytes = 5 * 1024 ** 3;
const attempts = 3;
const emptyHash = createHash("sha256").digest("hex");
/** The content is protected by TLS and by the checksums of the backup. */
const unsigned = "UNSIGNED-PAYLOAD";

export function openBucket(name: string, settings: BucketSettings): Bucket {
  const { endpoint, accessKeyId, secretAccessKey, region = "auto" } = settings;
  if (!endpoint || !accessKeyId || !secretAccessKey)
    throw new Error("set AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the bucket");
  const credentials = { accessKeyId, secretAccessKey, region };
  const ask = async (method: "GET" | "PUT", path: string, query = "", file?: { path: string; bytes: number }) => {
    const url = new URL(`${endpoint.replace(/\/$/, "")}/${name}${path}${query && `?${query}`}`);
    const contentHash = file ? unsigned : emptyHash;
    for (let attempt = 1; ; attempt++) {
      const headers = signedHeaders({ method, url, contentHash, atMs: Date.now(), ...credentials });
      const body = file ? Readable.toWeb(createReadStream(file.path)) : undefined;
      const answer = await fetch(url, {
        method,
        headers: { ...headers, ...(file ? { "content-length": String(file.bytes) } : {}) },
        ...(body ? { body: body as unknown as NonNullable<RequestInit["body"]>, duplex: "half" } : {}),
      }).catch((error: unknown) => error);
      if (answer instanceof Response && answer.ok) return answer;
      const isPassing = !(answer instanceof Response) || answer.status >= 500 || answer.status === 429;
      if (isPassing && attempt < attempts) continue;
      const why =
        answer instanceof Response ? `${answer.status}: ${(await answer.text()).slice(0, 300)}` : String(answer);
      throw new Error(`${method} ${url.origin}${url.pathname} failed: ${why}`);
    }
  };
  return {
    hasAny: async (prefix) => {
      const query = `list-type=2&max-keys=1&prefix=${encodeURIComponent(prefix)}`;
      return (await (await ask("GET", "", query)).text()).includes("<Key>");
    },
    put: async (key, path, bytes) => {
      if (bytes > maxBytes) throw new Error(`${key} has ${bytes} bytes, more than one file of a bucket may have`);
      await ask("PUT", `/${encodedKey(key)}`, "", { path, bytes });
    },
    get: async function* (key) {
      const { body } = await ask("GET", `/${encodedKey(key)}`);
      // Node's types of web streams differ from the global ones.
      if (body) yield* Readable.fromWeb(body) as AsyncIterable<Uint8Array>;
    },
  };
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly contentHash: string;
  readonly atMs: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** Returns the headers of a request, with its signature. The path must be encoded already. */
export function signedHeaders(request: SignedRequest): Record<string, string> {
  const { method, url, contentHash, atMs, accessKeyId, secretAccessKey, region } = request;
  const time = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { host: url.host, "x-amz-content-sha256": contentHash, "x-amz-date": time };
  const names = Object.keys(headers).join(";");
  const query = [...url.searchParams]
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .sort()
    .join("&");
  const lines = Object.entries(headers).map(([header, value]) => `${header}:${value}`);
  const canonical = [method, url.pathname, query, ...lines, "", names, contentHash].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, digest].join("\n");
  const key = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(
    (signingKey, word) => createHmac("sha256", signingKey).update(word).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
  const { host: _, ...sent } = headers;
  return { ...sent, authorization };
}

function encodedKey(key: string): string {
  return key.split("/").map(encoded).join("/");
}

/** Encodes every character that is not unreserved in RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
