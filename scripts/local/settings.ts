// What the environment says about a local run.
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { Refusal, messageOf } from "./refusal.ts";

export const host = "127.0.0.1";

export interface Settings {
  /** Absolute path of the folder that holds all data. */
  readonly data: string;
  readonly httpsPort: number;
  readonly httpPort: number;
}

export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const data = dataFolder(environment);
  const httpsPort = await freePort("SANDBAR_HTTPS_PORT", environment.SANDBAR_HTTPS_PORT || "8443");
  const httpPort = await freePort("SANDBAR_HTTP_PORT", environment.SANDBAR_HTTP_PORT || "8787");
  return { data, httpsPort, httpPort };
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

/** Checks that a port can be had; `0` asks for any. */
async function freePort(variable: string, text: string): Promise<number> {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Refusal(`${variable} must be a port number, not "${text}".`);
  const { promise, resolve: found, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", (error) => {
    const why = "code" in error && error.code === "EADDRINUSE" ? "is busy" : `cannot be used (${error.message})`;
    reject(new Refusal(`Port ${port} ${why}: set ${variable} to another.`));
  });
  server.listen(port, host, () => {
    const address = server.address();
    server.close(() => found(address && typeof address === "object" ? address.port : port));
  });
  return promise;
}
