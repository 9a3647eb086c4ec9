// A server of Redis that listens: it answers commands that come over the network.
import { stableHex } from "../../../../shared/base/stable.ts";
import { heard, respLanguage, spoken } from "../../databases/resp.ts";
import { mutePage, type Page, type Server, type Visit } from "../../shell/server.ts";
import { targetOf } from "../common/dial.ts";
import type { RedisSettings } from "./config.ts";
import { type RedisServer, redisReplied } from "./server.ts";
import { redisVersion } from "./versions.ts";

export class ListeningRedis implements Server {
  readonly needsNetwork = true;
  readonly settings: RedisSettings;

  constructor(settings: RedisSettings) {
    this.settings = settings;
  }

  answer(visit: Visit): Page {
    const { command, files, headers, nowMs, from, number, image } = visit;
    if (!command) return { ...mutePage(visit), language: respLanguage };
    const id = stableHex(JSON.stringify([nowMs, from, number, command]), 16);
    const header = (name: string) => headers.find(([own]) => own === name)?.[1];
    const server = { files, settings: this.settings, version: redisVersion(image), nowMs, ...this.#others(visit) };
    const asked = { words: command, database: Number(header("database") ?? 0), password: header("auth"), id };
    const { reply, edit } = redisReplied(server, asked);
    const page = { contentType: "", body: spoken(reply), language: respLanguage };
    return edit ? { ...page, edits: [edit] } : page;
  }

  /** The replicas and the primary of the server, if there is a network. */
  #others({ reach, run, address, nowMs }: Visit): Pick<RedisServer, "primaryText" | "listens"> {
    if (!reach || !run) return {};
    return {
      primaryText: ({ host, port, password }) => {
        const target = targetOf({ run }, host, String(port));
        const auth = password === "" ? [] : [["auth", password] as const];
        const words = ["SYNC", address, this.settings["port"] ?? "6379"];
        const request = { method: "RESP", path: "/", headers: auth, body: "", command: words };
        const body = target && reach({ ...target, atMs: nowMs, request }).answer?.body;
        const text = body === undefined ? undefined : heard(body);
        return typeof text === "string" ? text : undefined;
      },
      listens: (to, port) => /^(open|answered)$/.test(reach({ address: to, port, atMs: nowMs }).kind),
    };
  }
}
