// What the environment says about a local run.
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { createServer, isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { Refusal, messageOf } from "./refusal.ts";

/** Where nothing comes from but this machine. */
export const host = "127.0.0.1";
const wildcards = ["0.0.0.0", "::"];

export interface Settings {
  /** Absolute path of the folder that holds all data. */
  readonly data: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  /** The address that the https port listens on. */
  readonly listen: string;
  /** The address of the http port: this machine's own unless `SANDBAR_HTTP_LISTEN` says otherwise, as keys go readable over it. */
  readonly httpListen: string;
  /** What kubeconfigs point at: scheme, host and port. */
  readonly server: string;
  /** With its port: see the Worker's `SANDBAR_DOMAIN`. */
  readonly domain: string | undefined;
}

export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const data = dataFolder(environment);
  const listen = addressIn("SANDBAR_LISTEN", environment.SANDBAR_LISTEN);
  const httpListen = addressIn("SANDBAR_HTTP_LISTEN", environment.SANDBAR_HTTP_LISTEN);
  const httpsPort = await freePort("SANDBAR_HTTPS_PORT", environment.SANDBAR_HTTPS_PORT || "8443", listen);
  const httpPort = await freePort("SANDBAR_HTTP_PORT", environment.SANDBAR_HTTP_PORT || "8787", httpListen);
  const server = serverOf(environment.SANDBAR_SERVER, listen, httpsPort);
  return {
    data,
    httpsPort,
    httpPort,
    listen,
    httpListen,
    server,
    domain: domainOf(environment.SANDBAR_DOMAIN, httpsPort),
  };
}

/** Returns the API key that the environment sets. Undefined: the service makes one. */
export function givenKey({ SANDBAR_LOCAL_KEY: key }: NodeJS.ProcessEnv): string | undefined {
  if (!key) return undefined;
  if (/^sbk_[A-Za-z0-9]{24,128}$/.test(key)) return key;
  throw new Refusal("SANDBAR_LOCAL_KEY must be sbk_ and 24 to 128 letters and digits.");
}

function addressIn(variable: string, given: string | undefined): string {
  const address = given || host;
  if (isIP(address) !== 0) return address;
  throw new Refusal(`${variable} must be an IP address, such as 0.0.0.0, not "${address}".`);
}

/** Its absolute path; it is made where there is none. */
export function dataFolder(environment: NodeJS.ProcessEnv): string {
  const data = resolve(environment.SANDBAR_DATA || ".sandbar");
  try {
    makeFolder(data);
    // A file there already is the reader's to move: mkdir said nothing, but nothing can be made below it.
    accessSync(`${data}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Refusal(`The data folder ${data} cannot be written (${messageOf(error)}): set SANDBAR_DATA to another.`);
  }
  return data;
}

/** Level by level: Node's own recursion never comes back from a file system such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** The names and addresses that the certificate must be good for, beside those of this machine. */
export function namesOf({ listen, server, domain }: Pick<Settings, "listen" | "server" | "domain">): string[] {
  const name = domain?.replace(/:\d+$/, "");
  const own = wildcards.includes(listen) ? [] : [listen];
  return [...own, new URL(server).hostname.replace(/^\[|\]$/g, ""), ...(name ? [name, `*.${name}`] : [])];
}

function serverOf(given: string | undefined, listen: string, port: number): string {
  if (given) {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url?.protocol !== "https:") throw new Refusal(`SANDBAR_SERVER must be an https address, not "${given}".`);
    return url.origin;
  }
  // Whoever listens everywhere is reached from this machine at least.
  const at = wildcards.includes(listen) ? host : listen;
  return `https://${isIP(at) === 6 ? `[${at}]` : at}:${port}`;
}

function domainOf(given: string | undefined, port: number): string | undefined {
  if (!given) return undefined;
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:\d+)?$/.test(given))
    throw new Refusal(`SANDBAR_DOMAIN must be a domain, such as sandbar.example.org, not "${given}".`);
  return given.includes(":") ? given : `${given}:${port}`;
}

/** Checks that a port can be had; `0` asks for any. */
async function freePort(variable: string, text: string, at: string): Promise<number> {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Refusal(`${variable} must be a port number, not "${text}".`);
  const { promise, resolve: found, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", (error) => {
    const why = "code" in error && error.code === "EADDRINUSE" ? "is busy" : `cannot be used (${error.message})`;
    reject(new Refusal(`Port ${port} ${why}: set ${variable} to another.`));
  });
  server.listen(port, at, () => {
    const address = server.address();
    server.close(() => found(address && typeof address === "object" ? address.port : port));
  });
  return promise;
}
