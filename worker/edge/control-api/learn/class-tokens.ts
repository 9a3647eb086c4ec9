// The tokens of classes and seats, and the links that hold them.
import { isTag, tag } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";

/**
 * A token contains the id of a class or seat and an HMAC over it. It can be derived again, and a forged one is rejected without a query.
 */
const kinds = {
  class: { prefix: "sbj_", purpose: "class", shape: /^sbj_(cls[a-z2-7]{20})_([a-z2-7]{51})$/ },
  seat: { prefix: "sbc_", purpose: "class-seat", shape: /^sbc_(seat[a-z2-7]{20})_([a-z2-7]{51})$/ },
} as const;
const tagLength = 51;

type TokenKind = keyof typeof kinds;

export async function tokenOf({ secret }: ControlApiServer, kind: TokenKind, id: string): Promise<string> {
  const { prefix, purpose } = kinds[kind];
  return `${prefix}${id}_${await tag(secret, purpose, id, tagLength)}`;
}

export async function idIn(controlApi: ControlApiServer, kind: TokenKind, token: string) {
  const { shape, purpose } = kinds[kind];
  const [, id, mac] = shape.exec(token) ?? [];
  if (id === undefined || mac === undefined) return undefined;
  return (await isTag(controlApi.secret, purpose, id, mac, tagLength)) ? id : undefined;
}

/** Returns the link of a class, or the own link of one of its seats. */
export async function joinUrl(controlApi: ControlApiServer, classId: string, seatId?: string): Promise<string> {
  const seat = seatId === undefined ? "" : `.${await tokenOf(controlApi, "seat", seatId)}`;
  return `${controlApi.console}/learn/join#${await tokenOf(controlApi, "class", classId)}${seat}`;
}

export function noClass(token?: string): ControlError {
  const message = "there is no such class, or its link was revoked";
  return new ControlError(404, "not_found", message, undefined, token === undefined ? {} : { credential: token });
}
