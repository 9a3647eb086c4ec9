// The counter in modules of WebAssembly.
import { expect, test } from "vitest";
import { metered } from "../../../scripts/interpreters/meter.ts";
import { type WasmGlobal, wasm } from "../../../worker/containers/wasm/webassembly.ts";

/** `loop(n)`: counts down; `fill(n)`: so many bytes. Assembled by hand, for there is no assembler here. */
const module = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  // Types: (i32) -> ().
  1, 5, 1, 0x60, 1, 0x7f, 0,
  // Two functions of that type, and a memory of one page.
  3, 3, 2, 0, 0, 5, 3, 1, 0, 1,
  // No globals, and exports.
  6, 1, 0, 7, 15, 2, 4, 0x6c, 0x6f, 0x6f, 0x70, 0, 0, 4, 0x66, 0x69, 0x6c, 0x6c, 0, 1, 10, 30, 2,
  // loop; local.get 0; i32.const 1; i32.sub; local.tee 0; br_if 0; end
  14, 0, 0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x0b,
  // memory.fill(0, 1, n)
  13, 0, 0x41, 0, 0x41, 1, 0x20, 0, 0xfc, 11, 0, 0x01, 0x01, 0x0b,
]);

function instantiate(fuel: number) {
  const { exports } = new wasm.Instance(new wasm.Module(metered(module)));
  const counter = exports["fuel"] as WasmGlobal;
  counter.value = fuel;
  return { counter, loop: exports["loop"] as (n: number) => void, fill: exports["fill"] as (n: number) => void };
}

test("metered code counts each call and each round, and traps below zero", () => {
  const { counter, loop } = instantiate(100);
  loop(10);
  expect(counter.value).toBe(100 - 11);
  expect(() => loop(1000)).toThrow(wasm.RuntimeError);
  expect(counter.value).toBe(-1);
  expect(() => loop(1)).toThrow(wasm.RuntimeError);
});

test("metered code counts a move of memory by its length", () => {
  const { counter, fill } = instantiate(2000);
  fill(64_000);
  expect(counter.value).toBe(2000 - 1 - 1000);
});

test("the meter rejects modules that it cannot read", () => {
  expect(() => metered(module.subarray(0, 50))).toThrow("ends too early");
});
