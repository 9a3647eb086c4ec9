// The tokens with which the console accesses a sandbox: the administrator's, or a short-lived read-only one that is stored for the
// tab and renewed in time.
import type { ViewToken } from "../../shared/contract/token.ts";
import { ListRefused } from "../live/informer.ts";
import { type Control } from "./control.ts";
import { ControlFailure } from "./control-failure.ts";

const ttlSeconds = 3600;
/** A token that expires within this time is not used any more. */
const spareMs = 60_000;

async function ownViewToken(control: Control, id: string, nowMs: number): Promise<string> {
  const place = `sandbar.view.${id}`;
  const stored = read(place);
  if (stored && Date.parse(stored.expiresAt) - spareMs > nowMs) return stored.token;
  const { token, expiresAt } = await control.viewToken(id, { ttlSeconds }).catch(refuse);
  sessionStorage.setItem(place, JSON.stringify({ token, expiresAt }));
  return token;
}

export function forgetViewToken(id: string): void {
  sessionStorage.removeItem(`sandbar.view.${id}`);
}

/** Maps a refusal to `ListRefused`: a list cannot be read without a token. */
function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}

function read(place: string): Pick<ViewToken, "token" | "expiresAt"> | undefined {
  const text = sessionStorage.getItem(place);
  // Written by the code above.
  return text ? (JSON.parse(text) as Pick<ViewToken, "token" | "expiresAt">) : undefined;
}

/** Returns the token source of a view. Concurrent calls share one request. */
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

/** Returns the source of the administrator's token. If it is refused, it may have been rotated, so the newest one is read. */
export function adminTokens(control: Control, id: string, first: string): (isStale: boolean) => Promise<string> {
  let current = first;
  let pending: Promise<string> | undefined;
  const renewed = async () => {
    const sandbox = await control.find(id).catch(refuse);
    return (current = sandbox?.token ?? current);
  };
  return async (isStale) => {
    if (!isStale) return pending ?? current;
    pending ??= renewed().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
