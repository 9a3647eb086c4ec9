// The tokens with which the console itself enters a sandbox: the administrator's, or one for looking only, which is short-lived, kept for the
// tab and renewed in time.
import type { ViewToken } from "../../shared/contract/token.ts";
import { ListRefused } from "../live/informer.ts";
import { type Control, ControlFailure } from "./control.ts";

const ttlSeconds = 3600;
/** A token this close to its end is not used any more. */
const spareMs = 60_000;

async function ownViewToken(control: Control, id: string, nowMs: number): Promise<string> {
  const place = `sandbar.view.${id}`;
  const kept = read(place);
  if (kept && Date.parse(kept.expiresAt) - spareMs > nowMs) return kept.token;
  const { token, expiresAt } = await control.viewToken(id, { ttlSeconds }).catch(refuse);
  sessionStorage.setItem(place, JSON.stringify({ token, expiresAt }));
  return token;
}

export function forgetViewToken(id: string): void {
  sessionStorage.removeItem(`sandbar.view.${id}`);
}

/** No token, no list: for the same reason. */
function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}

function read(place: string): Pick<ViewToken, "token" | "expiresAt"> | undefined {
  const text = sessionStorage.getItem(place);
  // Written above.
  return text ? (JSON.parse(text) as Pick<ViewToken, "token" | "expiresAt">) : undefined;
}

/** As views ask for it: all at once, and it is made once. */
export function viewTokens(control: Control, id: string): (isStale: boolean) => Promise<string> {
  let pending: Promise<string> | undefined;
  return (isStale) => {
    if (isStale && !pending) forgetViewToken(id);
    pending ??= ownViewToken(control, id, Date.now()).finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/** The administrator's token as views ask for it: where it was refused, it may have been rotated, and the newest is asked for. */
export function adminTokens(control: Control, id: string, first: string): (isStale: boolean) => Promise<string> {
  let current = first;
  let pending: Promise<string> | undefined;
  const renewed = async () => {
    const found = await control.find(id).catch(refuse);
    return (current = found?.token ?? current);
  };
  return async (isStale) => {
    if (!isStale) return pending ?? current;
    pending ??= renewed().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
