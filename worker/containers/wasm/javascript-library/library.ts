// The library of Node.js, in the order in which it is read.
import { inspection, loop, modules } from "./core.ts";
import { databases } from "./databases.ts";
import { nodeDrivers } from "../../products/drivers.ts";
import { express, network } from "./network.ts";
import { system } from "./system.ts";

/** Files and their code. */
export const javascriptLibrary: readonly (readonly [file: string, code: string])[] = [
  ["node:internal/inspect", inspection],
  ["node:internal/system", system],
  ["node:internal/loop", loop],
  ["node:internal/modules", modules],
  ["node:internal/network", network],
  ["node:internal/express", express],
  ["node:internal/databases", databases],
  ...nodeDrivers.map(({ name, code }) => [`node:internal/${name}`, code] as const),
];

/** Packages that have to be installed. */
export const knownNodePackages: readonly string[] = [
  "express",
  ...nodeDrivers.flatMap(({ packages }) => packages),
].sort();
