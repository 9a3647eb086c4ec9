// The heap of the work queue.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "../../worker/runtime/heap.ts";

test("Q2: the smallest item comes first, and no item is lost or duplicated", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: fc.nat(20) }, { weight: 2, arbitrary: fc.constant("take") })),
      (steps) => {
        const heap = new Heap<number>((a, b) => a - b);
        const sorted: number[] = [];
        const take = () => {
          const smallest = sorted.shift();
          expect([heap.peek(), heap.pop()]).toEqual([smallest, smallest]);
        };
        for (const step of steps) {
          if (typeof step === "string") take();
          else {
            heap.push(step);
            sorted.push(step);
            sorted.sort((a, b) => a - b);
          }
          expect(heap.peek()).toBe(sorted[0]);
        }
        while (sorted.length > 0) take();
        take();
      },
    ),
    { numRuns: 300, seed: 20_261_122 },
  );
});

test("Q2: a push or a take of thousands compares few items", () => {
  let compared = 0;
  const heap = new Heap<number>((a, b) => {
    compared++;
    return a - b;
  });
  const count = 4096;
  for (let at = count; at > 0; at--) heap.push(at);
  for (let at = 1; at <= count; at++) expect(heap.pop()).toBe(at);
  // Twice the depth for each operation.
  expect(compared).toBeLessThan(count * 12 * 3);
});
