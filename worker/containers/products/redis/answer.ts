// A listening Redis server. It answers commands that come over the network.
import { stableHex } from "../../../../shared/base/stable.ts";
import { decodeReply, respLanguage, encodeReply } from "../../databases/resp.ts";
import { acceptWithoutAnswer, type Page, type Server, type Visit } from "../../shell/server.ts";
import { targetOf } from "../common/dial.ts";
import { RedisConfig, type RedisSettings } from "./config.ts";
import { type RedisServer, redisReplied } from "./server.ts";
import { redisVersion } from "./versions.ts";

export class ListeningRedis implements Server {
  readonly needsNetwork = true;
  readonly settings: RedisSettings;

  constructor(settings: RedisSettings) {
    this.settings = settings;
  }

  answer(visit: Visit): Page {
    const { command, files, headers, nowMs, from, number, image, pays } = visit;
    if (!command) return { ...acceptWithoutAnswer(visit), language: respLanguage };
    const id = stableHex(JSON.stringify([nowMs, from, number, command]), 16);
    const header = (name: string) => headers.find(([headerName]) => headerName === name)?.[1];
    const server = {
      files,
      settings: this.settings,
      version: redisVersion(image),
      nowMs,
      pays,
      ...this.#primary(visit),
    };
    const request = { words: command, database: Number(header("database") ?? 0), password: header("auth"), id };
    const { reply, edit } = redisReplied(server, request);
    const page = { contentType: "", body: encodeReply(reply), language: respLanguage };
    return edit ? { ...page, edits: [edit] } : page;
  }

  /** Returns a connection to the primary if this server is a replica and there is a network. */
  #primary({ reach, run, nowMs }: Visit): Pick<RedisServer, "askPrimary"> {
    const config = new RedisConfig(this.settings);
    const { primary } = config;
    const masterauth = config.get("masterauth");
    if (!reach || !run || !primary) return {};
    return {
      askPrimary: (command, database) => {
        const target = targetOf({ run }, primary.host, String(primary.port));
        const headers = [
          ...(masterauth === "" ? [] : [["auth", masterauth] as const]),
          ...(database === 0 ? [] : [["database", String(database)] as const]),
        ];
        const request = { method: "RESP", path: "/", headers, body: "", command };
        const answer = target && reach({ ...target, atMs: nowMs, request }).answer;
        return answer?.language === respLanguage ? decodeReply(answer.body) : undefined;
      },
    };
  }
}
