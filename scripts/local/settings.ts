// The settings of a local run, from the environment.
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { createServer, isIP } from "node:net";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { mailSettings } from "../../shared/contract/hosted/mail.ts";
import { planNames } from "../../shared/contract/hosted/plan.ts";
import { givenLimits } from "../../shared/contract/sandbox-limits.ts";
import { Refusal, messageOf } from "./refusal.ts";

/** The loopback address, which only this machine can reach. */
export const host = "127.0.0.1";
const wildcards = ["0.0.0.0", "::"];

export interface Settings {
  /** The absolute path of the folder that holds all data. */
  readonly data: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  /** The address that the https port listens on. */
  readonly listen: string;
  /** The address of the http port. The default is the loopback address, because keys are sent in plain text. */
  readonly httpListen: string;
  /** The server of kubeconfigs: scheme, host and port. */
  readonly server: string;
  /** The domain with its port: see the Worker's `SANDBAR_DOMAIN`. */
  readonly domain: string | undefined;
  /** The largest number of workerd processes. */
  readonly processes: number;
}

/** The default bound of processes: each holds at least 200 MB. */
const defaultProcessesMax = 8;
const processesMax = 64;

export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  checkWorkerVariables(environment);
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
    processes: processesOf(environment.SANDBAR_PROCESSES),
  };
}

/** Checks variables that the Worker reads, because it would refuse every request with a wrong one. */
function checkWorkerVariables(environment: NodeJS.ProcessEnv): void {
  const { SANDBAR_PLAN: plan } = environment;
  if (plan && !planNames.some((name) => name === plan))
    throw new Refusal(`SANDBAR_PLAN must be one of ${planNames.join(", ")}, not "${plan}".`);
  checkJson("SANDBAR_LIMITS", environment.SANDBAR_LIMITS, givenLimits);
  checkJson("SANDBAR_MAIL", environment.SANDBAR_MAIL, mailSettings);
}

function checkJson(variable: string, text: string | undefined, schema: z.ZodType): void {
  if (!text) return;
  const result = schema.safeParse(jsonIn(text));
  if (result.success) return;
  const [issue] = result.error.issues;
  const where = issue && issue.path.length > 0 ? ` (${issue.path.join(".")}: ${issue.message})` : "";
  throw new Refusal(`${variable} must be JSON as docs/configuration.md describes it${where}.`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the API key that the environment sets. If it is undefined, the service creates one. */
export function givenKey({ SANDBAR_LOCAL_KEY: key }: NodeJS.ProcessEnv): string | undefined {
  if (!key) return undefined;
  if (/^sbk_[A-Za-z0-9]{24,128}$/.test(key)) return key;
  throw new Refusal("SANDBAR_LOCAL_KEY must be sbk_ and 24 to 128 letters and digits.");
}

function processesOf(text: string | undefined): number {
  if (!text) return Math.min(availableParallelism(), defaultProcessesMax);
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= processesMax) return count;
  throw new Refusal(`SANDBAR_PROCESSES must be a number from 1 to ${processesMax}, not "${text}".`);
}

function addressIn(variable: string, addressText: string | undefined): string {
  const address = addressText || host;
  if (isIP(address) !== 0) return address;
  throw new Refusal(`${variable} must be an IP address, such as 0.0.0.0, not "${address}".`);
}

/** Returns the folder's absolute path. Creates the folder if it does not exist. */
export function dataFolder(environment: NodeJS.ProcessEnv): string {
  const data = resolve(environment.SANDBAR_DATA || ".sandbar");
  try {
    makeFolder(data);
    // If the path is a file, mkdir reports no error, but nothing can be created below it. The user has to move the file.
    accessSync(`${data}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Refusal(`The data folder ${data} cannot be written (${messageOf(error)}): set SANDBAR_DATA to another.`);
  }
  return data;
}

/** Creates folders level by level, because Node's recursive mkdir does not return on a file system such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Returns the names and addresses that the certificate must cover, beside those of this machine. */
export function namesOf({ listen, server, domain }: Pick<Settings, "listen" | "server" | "domain">): string[] {
  const name = domain?.replace(/:\d+$/, "");
  const listenAddresses = wildcards.includes(listen) ? [] : [listen];
  return [...listenAddresses, new URL(server).hostname.replace(/^\[|\]$/g, ""), ...(name ? [name, `*.${name}`] : [])];
}

function serverOf(serverText: string | undefined, listen: string, port: number): string {
  if (serverText) {
    const url = URL.canParse(serverText) ? new URL(serverText) : undefined;
    if (url?.protocol !== "https:") throw new Refusal(`SANDBAR_SERVER must be an https address, not "${serverText}".`);
    return url.origin;
  }
  // A server that listens on all addresses is at least reachable from this machine.
  const at = wildcards.includes(listen) ? host : listen;
  return `https://${isIP(at) === 6 ? `[${at}]` : at}:${port}`;
}

function domainOf(domainText: string | undefined, port: number): string | undefined {
  if (!domainText) return undefined;
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:\d+)?$/.test(domainText))
    throw new Refusal(`SANDBAR_DOMAIN must be a domain, such as sandbar.example.org, not "${domainText}".`);
  return domainText.includes(":") ? domainText : `${domainText}:${port}`;
}

/** Checks that a port is free; `0` asks for any. */
async function freePort(variable: string, text: string, at: string): Promise<number> {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Refusal(`${variable} must be a port number, not "${text}".`);
  const { promise, resolve: resolvePort, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", (error) => {
    const why = "code" in error && error.code === "EADDRINUSE" ? "is busy" : `cannot be used (${error.message})`;
    reject(new Refusal(`Port ${port} ${why}: set ${variable} to another.`));
  });
  server.listen(port, at, () => {
    const address = server.address();
    server.close(() => resolvePort(address && typeof address === "object" ? address.port : port));
  });
  return promise;
}
