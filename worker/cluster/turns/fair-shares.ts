// The shares that sandboxes have of one thread. All objects of a process, or of an isolate, take their turns on it, so a sandbox that used
// much of it lately waits while others have work. Upstream's counterpart is the fair queuing of API priority and fairness
// (apiserver/pkg/util/flowcontrol/fairqueuing): the flow that was served least is served first.
import { limits } from "../../../shared/base/limits.ts";

/** Names whose turns are counted together: a tenant, and one of its sandboxes. */
export interface Share {
  readonly tenant: string;
  readonly sandbox: string;
}

/** Time of the thread that was used, in milliseconds. It decays, so that it tells of the last seconds. */
class Usage {
  #ms = 0;
  #atMs = 0;

  add(ms: number, nowMs: number): void {
    this.#ms = this.at(nowMs) + ms;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    // A clock that was set back decays nothing.
    return this.#ms * Math.exp(Math.min(0, this.#atMs - nowMs) / limits.shareDecayMs);
  }
}

interface Account {
  readonly share: Share;
  readonly usage: Usage;
  /** The time of its last turn. */
  activeMs: number;
}

interface Waiting {
  readonly order: number;
  readonly sinceMs: number;
  /** The time at which it is forgotten, unless it asks again. */
  readonly untilMs: number;
}

interface CurrentTurn {
  readonly sandbox: string;
  readonly sinceMs: number;
  tookMs: number;
}

/** Milliseconds after which a turn that nobody ended, and a sandbox that does not ask again, do not count any more. */
const turnLeaseMs = 2_000;
const waitingLeaseMs = 100;
/** Milliseconds between two questions of a sandbox that waits. */
const askAgainMs = { least: 2, most: 50 };
/** A sandbox is light beside one that used so many times as much. */
const lightTimes = 4;
/** Sandboxes past which those that are at rest are forgotten. */
const accountsMost = 1_000;

export class FairShares {
  readonly #nowMs: () => number;
  readonly #tenants = new Map<string, Usage>();
  readonly #accounts = new Map<string, Account>();
  readonly #waiting = new Map<string, Waiting>();
  #turn: CurrentTurn | undefined;
  /** The time until which the thread is left to light sandboxes. */
  #restsUntilMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Counts a turn. Light sandboxes, which do not wait, are counted as well. */
  charge(share: Share, ms: number): void {
    const nowMs = this.#nowMs();
    const account = this.#accountOf(share);
    account.activeMs = nowMs;
    account.usage.add(ms, nowMs);
    this.#tenantOf(share).add(ms, nowMs);
    if (this.#turn?.sandbox === share.sandbox) this.#turn.tookMs += ms;
  }

  /** Reports whether a sandbox need not wait: it used little lately, or little beside another. */
  isLight(share: Share): boolean {
    const nowMs = this.#nowMs();
    if (this.#orderOf(share, nowMs) <= limits.lightShareMs) return true;
    for (const account of this.#accounts.values()) if (this.#isLightBeside(share, account.share, nowMs)) return true;
    return false;
  }

  /** Reports whether no other sandbox waits, has a turn or was active lately. */
  isAlone({ sandbox }: Share): boolean {
    const nowMs = this.#nowMs();
    if (this.#turn !== undefined && this.#turn.sandbox !== sandbox) return false;
    for (const waiting of this.#waiting.keys()) if (waiting !== sandbox) return false;
    for (const { share, activeMs } of this.#accounts.values())
      if (share.sandbox !== sandbox && isWithin(nowMs, activeMs, limits.shareNeighbourMs)) return false;
    return true;
  }

  /**
   * Returns 0 if the sandbox may have a turn, which `end` ends, or else the milliseconds after which it is to ask again. It is known to
   * wait from then on.
   */
  begin(share: Share): number {
    const nowMs = this.#nowMs();
    const { sandbox } = share;
    const order = this.#orderOf(share, nowMs);
    const sinceMs = this.#waiting.get(sandbox)?.sinceMs ?? nowMs;
    this.#waiting.set(sandbox, { order, sinceMs, untilMs: nowMs + waitingLeaseMs });
    if (this.#turn && isWithin(nowMs, this.#turn.sinceMs, turnLeaseMs)) return askAgainMs.least;
    const restMs = this.#restsUntilMs - nowMs;
    if (restMs > 0 && restMs <= limits.shareRestMs) return restMs;
    if (this.#isBehind(sandbox, { order, sinceMs }, nowMs)) {
      return Math.min(askAgainMs.most, askAgainMs.least + this.#waiting.size);
    }
    this.#waiting.delete(sandbox);
    this.#turn = { sandbox, sinceMs: nowMs, tookMs: 0 };
    return 0;
  }

  /** The milliseconds that the sandbox was charged since its turn began. */
  turnMs({ sandbox }: Share): number {
    return this.#turn?.sandbox === sandbox ? this.#turn.tookMs : 0;
  }

  /** Ends the turn of a sandbox; returns the milliseconds that it was charged. The thread rests as long if a light sandbox was active lately. */
  end(share: Share): number {
    const nowMs = this.#nowMs();
    const tookMs = this.turnMs(share);
    this.#turn = undefined;
    if (this.#hasLightNeighbour(share, nowMs)) this.#restsUntilMs = nowMs + Math.min(limits.shareRestMs, tookMs);
    return tookMs;
  }

  /** A smaller order comes first: the tenant's usage counts, and among its sandboxes that of each. */
  #orderOf({ tenant, sandbox }: Share, nowMs: number): number {
    return (this.#tenants.get(tenant)?.at(nowMs) ?? 0) + (this.#accounts.get(sandbox)?.usage.at(nowMs) ?? 0);
  }

  #isBehind(sandbox: string, { order, sinceMs }: Pick<Waiting, "order" | "sinceMs">, nowMs: number): boolean {
    for (const [share, waiting] of this.#waiting) {
      if (share === sandbox) continue;
      if (!isWithin(nowMs, waiting.untilMs - waitingLeaseMs, waitingLeaseMs)) this.#waiting.delete(share);
      else if (waiting.order < order || (waiting.order === order && waiting.sinceMs < sinceMs)) return true;
    }
    return false;
  }

  #hasLightNeighbour(share: Share, nowMs: number): boolean {
    for (const account of this.#accounts.values()) {
      if (!isWithin(nowMs, account.activeMs, limits.shareNeighbourMs)) continue;
      if (this.#isLightBeside(account.share, share, nowMs)) return true;
    }
    return false;
  }

  /**
   * Compares a sandbox with a heavy one. Beside a sandbox of its own tenant it is light only if all others of the tenant used little together.
   * So a tenant gains nothing from spreading its load.
   */
  #isLightBeside(share: Share, heavy: Share, nowMs: number): boolean {
    if (share.sandbox === heavy.sandbox) return false;
    if (share.tenant !== heavy.tenant) return this.#orderOf(share, nowMs) * lightTimes <= this.#orderOf(heavy, nowMs);
    const heavyMs = this.#accounts.get(heavy.sandbox)?.usage.at(nowMs) ?? 0;
    const tenantMs = this.#tenants.get(heavy.tenant)?.at(nowMs) ?? 0;
    return (tenantMs - heavyMs) * lightTimes <= heavyMs;
  }

  #accountOf(share: Share): Account {
    const existing = this.#accounts.get(share.sandbox);
    if (existing) return existing;
    if (this.#accounts.size >= accountsMost) this.#forget();
    const account = { share, usage: new Usage(), activeMs: this.#nowMs() };
    this.#accounts.set(share.sandbox, account);
    return account;
  }

  #tenantOf({ tenant }: Share): Usage {
    const tenantAccount = this.#tenants.get(tenant);
    if (tenantAccount) return tenantAccount;
    const usage = new Usage();
    this.#tenants.set(tenant, usage);
    return usage;
  }

  /** Drops the sandboxes, and tenants, of which little is left; all of them if that does not help. */
  #forget(): void {
    const nowMs = this.#nowMs();
    for (const [sandbox, { usage }] of this.#accounts) if (usage.at(nowMs) < 1) this.#accounts.delete(sandbox);
    for (const [tenant, usage] of this.#tenants) if (usage.at(nowMs) < 1) this.#tenants.delete(tenant);
    if (this.#accounts.size < accountsMost) return;
    this.#accounts.clear();
    this.#tenants.clear();
  }
}

/** Reports whether less than `ms` have passed; if the clock was set back, they have. */
function isWithin(nowMs: number, sinceMs: number, ms: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < ms;
}
