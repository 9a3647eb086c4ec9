// Tickets: encrypted state that a browser carries between two pages, valid for a limited time.
import { seal, unseal } from "../sealed.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { LaunchRefused } from "../../lti/id-token.ts";

type Sealer = Pick<ControlApiServer, "secret" | "nowMs">;

/** The kinds of tickets. A ticket of one kind is not accepted as another. */
export interface Tickets {
  readonly login: LoginTicket;
  readonly choice: ChoiceTicket;
  readonly board: BoardTicket;
  readonly registration: { readonly id: string };
}

/** A ticket from a login to its launch. */
export interface LoginTicket {
  readonly platformId: string;
  readonly nonce: string;
  /** The SHA-256 of the proof that only this browser has. */
  readonly proof: string;
  /** The frame of the platform that stores the proof; empty if a cookie does. */
  readonly storage: string;
}

/** A ticket from a deep linking request to the selection. */
export interface ChoiceTicket {
  readonly platformId: string;
  readonly deploymentId: string;
  readonly returnUrl: string;
  readonly data: string | undefined;
  readonly acceptsLineItem: boolean;
  readonly frames: readonly string[];
}

/** A ticket of a teacher's page. */
export interface BoardTicket {
  readonly platformId: string;
  readonly link: string;
  readonly lesson: string;
  readonly courseTitle: string;
  readonly membersUrl: string;
  /** The id of the teacher. */
  readonly userId: string;
  readonly name: string;
  readonly frames: readonly string[];
}

export async function ticket<K extends keyof Tickets>(
  { secret, nowMs }: Sealer,
  kind: K,
  tenantId: string,
  content: Tickets[K],
  forMs: number,
): Promise<string> {
  const sealed = await seal(secret, contextOf(kind, tenantId), JSON.stringify({ content, untilMs: nowMs() + forMs }));
  // Replace the characters that a URL does not allow.
  return sealed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Rejects with `LaunchRefused` if the ticket is invalid, belongs to another tenant, or is too old. */
export async function readTicket<K extends keyof Tickets>(
  { secret, nowMs }: Sealer,
  kind: K,
  tenantId: string,
  text: string,
): Promise<Tickets[K] & { readonly untilMs: number }> {
  const refused = new LaunchRefused("This page is too old, or was not made here: open it again from your course.");
  const sealed = text.replaceAll("-", "+").replaceAll("_", "/");
  try {
    // `ticket` wrote the JSON.
    const { content, untilMs } = JSON.parse(await unseal(secret, contextOf(kind, tenantId), sealed)) as {
      content: Tickets[K];
      untilMs: number;
    };
    if (untilMs > nowMs()) return { ...content, untilMs };
  } catch {
    throw refused;
  }
  throw refused;
}

function contextOf(kind: keyof Tickets, tenantId: string): string {
  return `lti ${kind} ${tenantId}`;
}
