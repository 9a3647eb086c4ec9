// Reconciles that make outbound calls: their calls, when they continue, and their time and random numbers.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { defineController, type ReconcileContext, self } from "../../worker/runtime/controller.ts";
import { namespace, newBed } from "./bed.ts";

const call = (body: string): OutboundCall => ({ to: { url: "https://outside" }, body, timeoutMs: 1000 });
const yes: OutboundAnswer = { ok: true, status: 200, body: "yes" };

/** Defines a controller of the ConfigMaps whose names start with `ask-`. */
function bedOf(reconcile: (context: ReconcileContext, name: string) => void) {
  const controller = defineController({
    name: "asker",
    component: "test",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("ask-") ?? false)],
    reconcile: ({ name }, context) => {
      reconcile(context, name);
      return undefined;
    },
  });
  const bed = newBed([controller]);
  return {
    ...bed,
    take: (most?: number) =>
      bed
        .now()
        .runtime.takeCalls(most)
        .map(({ body }) => body),
    answer: (body: string, answer = yes) => bed.now().runtime.answer(call(body), answer),
  };
}

describe("a reconcile with outbound calls", () => {
  test("Q13: continues when they are answered, in the next drain", () => {
    const heard: OutboundAnswer[][] = [];
    const bed = bedOf(({ ask }) => void heard.push([...ask([call("a"), call("b")])]));
    bed.create(configMaps, "ask-1");
    bed.drain();
    expect([heard, bed.take()]).toEqual([[], ["a", "b"]]);
    // One of two answers is not enough.
    bed.answer("a");
    bed.drain();
    expect(heard).toEqual([]);
    const no: OutboundAnswer = { ok: false, message: "no such host" };
    bed.answer("b", no);
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    bed.drain();
    expect([heard, bed.now().runtime.pending()]).toEqual([[[yes, no]], []]);
  });

  test("Q13: has the time and random numbers of its first run after any delay, and the next one has its own", () => {
    const runs: { nowMs: number; drawn: unknown[] }[] = [];
    const bed = bedOf(({ nowMs, random, ask }) => {
      runs.push({ nowMs, drawn: [random.next(), random.uuid(), random.suffix(5)] });
      ask([call("first")]);
    });
    const startMs = bed.clock.nowMs();
    bed.create(configMaps, "ask-1");
    bed.drain();
    const firstRun = runs.at(-1);
    bed.clock.step(7000);
    bed.answer("first");
    bed.drain();
    expect(runs.at(-1)).toEqual(firstRun);
    expect(firstRun?.nowMs).toBe(startMs);
    expect(firstRun?.drawn).toEqual([expect.any(Number), expect.any(String), expect.any(String)]);
    bed.touch("ask-1");
    bed.drain();
    expect(runs.at(-1)?.nowMs).toBe(startMs + 7000);
    expect(runs.at(-1)?.drawn).not.toEqual(firstRun?.drawn);
  });

  test("Q13: writes everything once, with the same random numbers for each write over any number of calls", () => {
    const bed = bedOf(({ client, random, ask }) => {
      for (const name of ["made-1", "made-2", "made-3"]) {
        if (client.get(configMaps, namespace, name)) continue;
        const id = random.uuid();
        const [answer] = ask([call(id)]);
        client.create(configMaps, {
          metadata: { name, namespace },
          data: { id, answer: answer?.ok ? answer.body : "" },
        });
      }
    });
    bed.create(configMaps, "ask-1");
    const drawnIds: string[] = [];
    for (let round = 0; round < 5; round++) {
      bed.drain();
      for (const body of bed.take()) {
        drawnIds.push(body);
        bed.clock.step(10);
        bed.answer(body);
      }
    }
    const createdMaps = ["made-1", "made-2", "made-3"].map((name) => bed.now().system.get(configMaps, namespace, name));
    expect(createdMaps.map((createdMap) => createdMap?.data?.["id"])).toEqual(drawnIds);
    expect(new Set(drawnIds).size).toBe(3);
    expect(createdMaps.map((createdMap) => createdMap?.data?.["answer"])).toEqual(["yes", "yes", "yes"]);
    expect(new Set(createdMaps.map((createdMap) => createdMap?.metadata.creationTimestamp)).size).toBe(1);
    expect(bed.reports).toEqual([]);
  });

  test("Q13: keeps its writes before the call, and does not repeat their random numbers", () => {
    const drawn: string[] = [];
    const bed = bedOf(({ client, random, ask }, name) => {
      if (!client.get(configMaps, namespace, "made")) {
        client.create(configMaps, { metadata: { name: "made", namespace }, data: { id: random.uuid() } });
      }
      const id = random.uuid();
      drawn.push(id);
      ask([call(`${name} ${id}`)]);
    });
    bed.create(configMaps, "ask-1");
    bed.drain();
    const [outboundCall = ""] = bed.take();
    const createdMap = bed.now().system.get(configMaps, namespace, "made");
    expect(outboundCall).not.toContain(createdMap?.data?.["id"]);
    bed.answer(outboundCall);
    bed.drain();
    expect(drawn.at(-1)).toBe(drawn.at(-2));
    expect(bed.now().system.get(configMaps, namespace, "made")).toEqual(createdMap);
    expect(bed.now().runtime.pending()).toEqual([]);
  });
});

describe("outbound calls", () => {
  test("Q13: are made once for several reconciles, which all continue; the oldest are taken first, up to a limit", () => {
    const done: string[] = [];
    const bed = bedOf(({ ask }, name) => {
      ask([call("all"), call(name)]);
      done.push(name);
    });
    for (const name of ["ask-1", "ask-2"]) bed.create(configMaps, name);
    bed.drain();
    expect([bed.take(2), bed.take(1), bed.take()]).toEqual([["all", "ask-1"], ["ask-2"], []]);
    for (const body of ["ask-1", "ask-2", "all"]) bed.answer(body);
    bed.drain();
    expect([done, bed.take()]).toEqual([["ask-1", "ask-2"], []]);
  });

  test("Q13: with an unexpected answer change nothing, and an answer is only for earlier callers", () => {
    let runs = 0;
    const bed = bedOf(({ ask }) => {
      runs++;
      ask([call("a")]);
    });
    bed.create(configMaps, "ask-1");
    bed.answer("b");
    bed.drain();
    bed.answer("b");
    bed.drain();
    expect([runs, bed.take()]).toEqual([2, ["a"]]);
    bed.answer("a");
    bed.drain();
    bed.touch("ask-1");
    bed.drain();
    expect(bed.take()).toEqual(["a"]);
  });

  test("Q13: are made again after a loss of the process, after a minute at the latest", () => {
    const done: string[] = [];
    const bed = bedOf(({ ask }, name) => {
      ask([call("a")]);
      done.push(name);
    });
    bed.create(configMaps, "ask-1");
    bed.drain();
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs() + limits.answerWaitMs);
    bed.reopen();
    bed.drain();
    expect(bed.take()).toEqual([]);
    bed.clock.step(limits.answerWaitMs);
    bed.drain();
    expect(bed.take()).toEqual(["a"]);
    bed.answer("a");
    bed.drain();
    expect(done).toEqual(["ask-1"]);
  });

  test("Q13: are not made twice while a request waits, though it is due again", () => {
    const bed = bedOf(({ ask }) => void ask([call("a")]));
    bed.create(configMaps, "ask-1");
    bed.drain();
    expect(bed.take()).toEqual(["a"]);
    bed.clock.step(limits.answerWaitMs);
    bed.drain();
    expect(bed.take()).toEqual([]);
    bed.answer("a");
    bed.drain();
    expect(bed.now().runtime.pending()).toEqual([]);
  });

  test("Q13: fail after the answer as in any reconcile, by an error or a bug", () => {
    const bed = bedOf(({ ask }) => {
      ask([call("a")]);
      throw new TypeError("a bug");
    });
    bed.create(configMaps, "ask-1");
    bed.drain();
    bed.answer("a");
    bed.drain();
    expect(bed.reports.map(({ where }) => where)).toEqual(["asker:default/ask-1"]);
    expect(bed.now().runtime.pending()).toEqual([]);
  });

  test("Q6: are still careful for a request that waits when the cluster is opened", () => {
    const done: string[] = [];
    const bed = bedOf(({ ask }, name) => {
      ask([call("a")]);
      done.push(name);
    });
    bed.create(configMaps, "ask-1");
    bed.reopen();
    bed.drain();
    expect([done, bed.take()]).toEqual([[], ["a"]]);
    bed.answer("a");
    expect([bed.now().runtime.isCareful(), bed.now().runtime.drain(10)]).toEqual([true, 0]);
    bed.drain();
    expect([done, bed.now().runtime.isCareful()]).toEqual([["ask-1"], false]);
  });
});
