// The queue of an object's turns: its order, its bounds and its refusals.
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { FairShares } from "../../../worker/cluster/turns/fair-shares.ts";
import { TurnQueue } from "../../../worker/cluster/turns/turn-queue.ts";

const share = { tenant: "a", sandbox: "a-1" };

/** Time passes only in pauses and in the work of turns. */
function newQueue() {
  const clock = { nowMs: 1_000_000 };
  const pauses: (() => void)[] = [];
  const shares = new FairShares(() => clock.nowMs);
  const worked = { ms: 0 };
  const queue = new TurnQueue({
    shares,
    nowMs: () => clock.nowMs,
    share: () => share,
    workedMs: () => worked.ms,
    pause: () => new Promise((done) => void pauses.push(done)),
  });
  const settle = async () => {
    for (let at = 0; at < 10; at++) await Promise.resolve();
  };
  /** Lets the runtime poll connections and requests once. */
  const look = async (ms = 1) => {
    clock.nowMs += ms;
    for (const done of pauses.splice(0)) done();
    await settle();
  };
  const work = (ms: number) => {
    queue.measure(() => {
      clock.nowMs += ms;
    });
  };
  return { clock, shares, queue, worked, settle, look, work };
}

const request = (more = "") => new Request(`https://host/api/v1/pods${more}`);

test("a light sandbox gets its turns immediately", () => {
  const { queue } = newQueue();
  expect(queue.next()).toBeUndefined();
  expect(queue.admit(request())).toBe(true);
});

test("reads of a heavy sandbox that is alone have their turns at once, its writes wait, and so do reads beside others", async () => {
  const { shares, clock, queue } = newQueue();
  shares.charge(share, 1_000);
  const post = new Request("https://host/api/v1/pods", { method: "POST" });
  expect(queue.admit(request())).toBe(true);
  expect(queue.admit(post)).toBeInstanceOf(Promise);
  // A read passes the waiting write.
  expect(queue.admit(request())).toBe(true);
  shares.charge({ tenant: "b", sandbox: "b-1" }, 1);
  expect(queue.admit(request())).toBeInstanceOf(Promise);
  clock.nowMs += limits.shareNeighbourMs;
  shares.charge(share, 10_000);
  expect(queue.admit(request())).toBe(true);
  shares.begin({ tenant: "b", sandbox: "b-1" });
  expect(queue.admit(request())).toBeInstanceOf(Promise);
});

test("turns of a heavy sandbox are served in order, a long one at a time, and the runtime polls in between", async () => {
  const { shares, queue, look, settle, work } = newQueue();
  shares.charge(share, 1_000);
  const served: number[] = [];
  for (let at = 0; at < 4; at++) {
    void queue.next()?.then(() => {
      work(30);
      served.push(at);
    });
  }
  await settle();
  // What one takes is not known before the first.
  const first = served.length;
  for (let looks = 0; looks < 10; looks++) await look();
  expect(served).toEqual([0, 1, 2, 3]);
  void queue.next()?.then(() => served.push(4));
  void queue.next()?.then(() => served.push(5));
  await settle();
  expect(first).toBeGreaterThan(0);
  expect(served).toEqual([0, 1, 2, 3, 4]);
  await look();
  expect(served).toEqual([0, 1, 2, 3, 4, 5]);
});

test("waiters with short turns are served together up to the length of one turn", async () => {
  const { shares, queue, look, settle, work } = newQueue();
  shares.charge(share, 1_000);
  const run = (count: number, ms: number) => {
    const state = { served: 0 };
    for (let at = 0; at < count; at++) {
      void queue.next()?.then(async () => {
        // What a request does before its turn.
        await Promise.resolve();
        work(ms);
        state.served++;
      });
    }
    return state;
  };
  run(10, 0.1);
  for (let looks = 0; looks < 10; looks++) await look();
  const long = run(10, 40);
  for (let at = 0; at < 20; at++) await settle();
  expect(long.served).toBe(1);
  for (let looks = 0; looks < 30; looks++) {
    const before = long.served;
    await look(50);
    await settle();
    expect(long.served - before).toBeLessThanOrEqual(1);
  }
  expect(long.served).toBe(10);
});

test("counted work is charged while the clock stands still, and nested measurements are charged once", () => {
  const { shares, queue, worked, clock } = newQueue();
  const charged: number[] = [];
  shares.charge = (_share, ms) => void charged.push(ms);
  queue.measure(() => {
    worked.ms += 40;
  });
  queue.measure(() =>
    queue.measure(() => {
      clock.nowMs += 7;
    }),
  );
  expect(charged).toEqual([40, 7]);
});

test("waiting requests are bounded in number, bytes and time; running ones are not", async () => {
  const { shares, queue, clock, look, settle } = newQueue();
  shares.charge(share, 1_000_000);
  // A turn of another sandbox is under way.
  shares.begin({ tenant: "b", sandbox: "b-1" });
  const waiting = Array.from({ length: limits.waitingRequests }, () => queue.admit(request()));
  expect(waiting.every((turn) => turn instanceof Promise)).toBe(true);
  expect(queue.admit(request())).toBe(false);
  expect(queue.next()).toBeInstanceOf(Promise);
  clock.nowMs += limits.waitingRequestMs;
  await look();
  for (let looks = 0; looks < 100; looks++) await look();
  await settle();
  // oxlint-disable-next-line typescript/await-thenable
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([false]));
});

test("waiting requests with many bytes are refused before the bound on their number", () => {
  const { shares, queue } = newQueue();
  shares.charge(share, 1_000_000);
  shares.begin({ tenant: "b", sandbox: "b-1" });
  const long = request(`?labelSelector=${"a".repeat(100_000)}`);
  const answers = Array.from({ length: limits.waitingRequests }, () => queue.admit(long));
  const refused = answers.filter((answer) => answer === false).length;
  expect(refused).toBe(limits.waitingRequests - Math.floor(limits.waitingRequestBytes / (4096 + long.url.length)));
});
