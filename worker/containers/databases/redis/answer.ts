// A pod's server of Redis answers a command that comes over the network.
import type { Edit, Files } from "../../shell/files.ts";
import { targetOf } from "../../shell/agnhost/dial.ts";
import type { Contact, Reached } from "../../shell/process.ts";
import type { Ran } from "../../shell/programs/page.ts";
import { heard, spoken } from "./reply.ts";
import { redisReplied } from "./server.ts";
import { redisSettings, redisVersion } from "./start.ts";

export interface RedisVisit {
  readonly server: string;
  readonly image: string;
  readonly files: Files;
  readonly command: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly id: string;
  readonly nowMs: number;
  /** The server's own. */
  readonly address: string;
  /** Opens a connection from its pod, and runs a script there; absent where no network is known. */
  readonly reach?: ((contact: Contact) => Reached) | undefined;
  readonly run?: ((script: string) => Ran) | undefined;
  readonly pays?: ((units: number) => void) | undefined;
}

export function redisAnswer(visit: RedisVisit): { readonly body: string; readonly edit?: Omit<Edit, "atMs"> } {
  const { server, image, files, command, headers, id, nowMs, address, reach, run, pays } = visit;
  const header = (name: string) => headers.find(([own]) => own === name)?.[1];
  const settings = redisSettings(server);
  const { reply, edit } = redisReplied(
    {
      files,
      settings,
      version: redisVersion(image),
      nowMs,
      pays,
      ...(reach && run
        ? {
            primaryText: ({ host, port, password }) => {
              const target = targetOf({ run }, host, String(port));
              const auth = password === "" ? [] : [["auth", password] as const];
              const words = ["SYNC", address, settings["port"] ?? "6379"];
              const request = { method: "REDIS", path: "/", headers: auth, body: "", command: words };
              const body = target && reach({ ...target, atMs: nowMs, request }).answer?.body;
              const text = body === undefined ? undefined : heard(body);
              return typeof text === "string" ? text : undefined;
            },
            listens: (to: string, port: number) =>
              /^(open|answered)$/.test(reach({ address: to, port, atMs: nowMs }).kind),
          }
        : {}),
    },
    { words: command, database: Number(header("database") ?? 0), password: header("auth"), id },
  );
  return { body: spoken(reply), ...(edit ? { edit } : {}) };
}
