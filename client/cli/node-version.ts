// Checks that Node.js has the functions of `node:tls` with which tunnels trust a sandbox's authority.
import * as tls from "node:tls";
import { UsageError } from "./values.ts";

/**
 * Throws if Node.js cannot replace its default authorities. The modules of tunnels import that function, so they are loaded after this
 * check: otherwise the message would be the loader's.
 */
export function requireDefaultAuthorities(module: object = tls, version: string = process.version): void {
  if ("setDefaultCACertificates" in module) return;
  throw new UsageError(`this command needs Node.js 22.19, 24.5 or later; this is ${version}`);
}
