// What goes through a browser and comes back: enciphered, so that it is what this service wrote, and good for a time.
import { seal, unseal } from "../sealed.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { LaunchRefused } from "../../lti/id-token.ts";

type Sealer = Pick<ControlApiServer, "secret" | "nowMs">;

/** What each is for: one is not taken for another. */
export interface Tickets {
  readonly login: LoginTicket;
  readonly choice: ChoiceTicket;
  readonly board: BoardTicket;
  readonly registration: { readonly id: string };
}

/** From a login to its launch. */
export interface LoginTicket {
  readonly platformId: string;
  readonly nonce: string;
  /** SHA-256 of what this browser alone knows. */
  readonly proof: string;
  /** The frame of the platform that keeps the proof; empty: a cookie does. */
  readonly storage: string;
}

/** From a request for deep linking to the choice. */
export interface ChoiceTicket {
  readonly platformId: string;
  readonly deploymentId: string;
  readonly returnUrl: string;
  readonly data: string | undefined;
  readonly acceptsLineItem: boolean;
  readonly frames: readonly string[];
}

/** Of a teacher's page. */
export interface BoardTicket {
  readonly platformId: string;
  readonly link: string;
  readonly lesson: string;
  readonly courseTitle: string;
  readonly membersUrl: string;
  /** The teacher. */
  readonly userId: string;
  readonly name: string;
  readonly frames: readonly string[];
}

export async function ticket<K extends keyof Tickets>(
  { secret, nowMs }: Sealer,
  kind: K,
  tenantId: string,
  said: Tickets[K],
  forMs: number,
): Promise<string> {
  const sealed = await seal(secret, contextOf(kind, tenantId), JSON.stringify({ said, untilMs: nowMs() + forMs }));
  // As it stands in an address, too.
  return sealed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Rejects with `LaunchRefused` where it is none of ours, of another tenant, or too old. */
export async function readTicket<K extends keyof Tickets>(
  { secret, nowMs }: Sealer,
  kind: K,
  tenantId: string,
  text: string,
): Promise<Tickets[K] & { readonly untilMs: number }> {
  const refused = new LaunchRefused("This page is too old, or was not made here: open it again from your course.");
  const sealed = text.replaceAll("-", "+").replaceAll("_", "/");
  try {
    // As `ticket` wrote it.
    const { said, untilMs } = JSON.parse(await unseal(secret, contextOf(kind, tenantId), sealed)) as {
      said: Tickets[K];
      untilMs: number;
    };
    if (untilMs > nowMs()) return { ...said, untilMs };
  } catch {
    throw refused;
  }
  throw refused;
}

function contextOf(kind: keyof Tickets, tenantId: string): string {
  return `lti ${kind} ${tenantId}`;
}
