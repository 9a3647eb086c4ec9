// A WebAssembly module that was given a counter of its steps (scripts/interpreters/meter.ts), running for a process: its steps are paid
// from the process's meter, and it ends when they are spent.
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import { wasmStepsPerWork } from "../../../shared/k8s/bounds/work.ts";
import { Stopped } from "../../../shared/shell/meter.ts";
import { type Process } from "../shell/process.ts";
import { charge } from "../../../shared/shell/meter.ts";
import {
  type WasmGlobal,
  type WasmImports,
  type WasmMemory,
  type WasmModule,
  type WasmTable,
  wasm,
} from "./webassembly.ts";

const mostSteps = 2_000_000_000;
const pageBytes = 65_536;
/** Work of a call by way of the host, beside the steps of what is called. */
const invocationWork = 0.015;

/** Leaves the interpreter where it is: the process has come to the moment up to which it is followed. Nothing of it is used again. */
export class Left extends Error {}

interface MemoryPart {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A memory as its parts that are not zero. */
export interface MemoryImage {
  readonly length: number;
  readonly parts: readonly MemoryPart[];
}

const imageBytes = 4096;

export type Functions = Readonly<Record<string, (...given: number[]) => number>>;

/** Bytes of the memories of all machines that are not closed. */
let heldBytes = 0;

/** Machines whose stacks are empty, least recently used first: each goes on, or is dropped when another needs its memory. */
const parkedMachines = new Set<Machine>();

/** Makes room for a machine's memory. Throws `Stopped` if all that run would hold too much. */
function hold(bytes: number): void {
  for (const machine of parkedMachines) {
    if (heldBytes + bytes <= limits.interpretersMemoryBytes) break;
    machine.evict();
  }
  if (heldBytes + bytes > limits.interpretersMemoryBytes) throw new Stopped("oom");
  heldBytes += bytes;
}

/** Whoever makes one closes it. */
export class Machine {
  readonly process: Process;
  readonly #fuel: WasmGlobal;
  readonly #memory: WasmMemory;
  readonly table: WasmTable | undefined;
  /** What the module exports, by name. */
  readonly functions: Functions;
  /** Calls that the module makes by way of its host, so that a jump may leave them; not paid yet. */
  invocations = 0;
  #given = 0;
  #held = 0;
  #isOpen = false;

  /** `memory`: one that the module does not bring itself. */
  constructor(
    process: Process,
    module: WasmModule,
    imports: WasmImports,
    names: { readonly memory: string | WasmMemory; readonly table?: string },
  ) {
    this.process = process;
    const { exports } = new wasm.Instance(module, imports);
    this.#fuel = exports["fuel"] as WasmGlobal;
    this.#memory = typeof names.memory === "string" ? (exports[names.memory] as WasmMemory) : names.memory;
    this.table = names.table === undefined ? undefined : (exports[names.table] as WasmTable);
    this.functions = exports as unknown as Functions;
    hold(this.memoryBytes);
    this.#held = this.memoryBytes;
    process.horizon.machines++;
    this.#isOpen = true;
  }

  /** What it holds is given back. */
  close(): void {
    heldBytes -= this.#held;
    this.#held = 0;
    if (this.#isOpen && !parkedMachines.delete(this)) this.process.horizon.machines--;
    this.#isOpen = false;
  }

  /** Lets the run wait until the machine is called again. Its stack must be empty, or never be returned to. */
  park(): void {
    if (!this.#isOpen || parkedMachines.has(this)) return;
    parkedMachines.add(this);
    this.process.horizon.machines--;
  }

  /** Drops the memory of a parked machine: its run has to be followed from its start. */
  evict(): void {
    this.process.horizon.isEvicted = true;
    this.close();
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#memory.buffer);
  }

  get view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  /** Calls into the module. Throws `Stopped` where it may go no further. */
  run<T>(body: () => T): T {
    if (!this.#isOpen) this.#leave();
    if (parkedMachines.delete(this)) this.process.horizon.machines++;
    this.#refill();
    try {
      return body();
    } catch (error) {
      // A stack that is used up, or memory that is not there.
      const isCrash = error instanceof wasm.RuntimeError || error instanceof RangeError;
      if (isCrash && this.#left() >= 0) throw new Stopped("crashed");
      if (!isCrash) throw error;
      return undefined as T;
    } finally {
      this.#settle();
    }
  }

  /** What the module asks of its host: the process pays for it itself. */
  host<T>(body: () => T): T {
    this.#settle();
    const result = body();
    this.#refill();
    return result;
  }

  /** Gives the module more memory; ends the container where that is more than it may have. */
  grow(wantedBytes: number): number {
    const most = Math.min(this.process.memoryLimit ?? limits.interpreterMemoryBytes, limits.interpreterMemoryBytes);
    if (wantedBytes > most) throw new Stopped("oom");
    const roomy = Math.min(most, wantedBytes * 1.25);
    const pages = Math.ceil((Math.max(roomy, wantedBytes) - this.memoryBytes) / pageBytes);
    if (pages > 0) this.#grow(pages);
    return 1;
  }

  /** What is not zero of its memory. */
  image(): MemoryImage {
    const words = new Uint32Array(this.#memory.buffer);
    const step = imageBytes / 4;
    const parts: MemoryPart[] = [];
    for (let at = 0; at < words.length; at += step) {
      if (words.subarray(at, at + step).every((word) => word === 0)) continue;
      const bytes = this.bytes.subarray(4 * at, 4 * (at + step));
      const last = parts.at(-1);
      if (last && last.at + last.bytes.length === 4 * at) {
        const joined = new Uint8Array(last.bytes.length + bytes.length);
        joined.set(last.bytes);
        joined.set(bytes, last.bytes.length);
        parts[parts.length - 1] = { at: last.at, bytes: joined };
      } else parts.push({ at: 4 * at, bytes: bytes.slice() });
    }
    return { length: this.memoryBytes, parts };
  }

  /** Puts an image in the place of memory that nothing has changed yet. */
  replace({ length, parts }: MemoryImage): void {
    if (length > this.memoryBytes) this.#grow((length - this.memoryBytes) / pageBytes);
    for (const { at, bytes } of parts) this.bytes.set(bytes, at);
  }

  text(at: number, length: number): string {
    return textOfBytes(this.bytes.subarray(at, at + length));
  }

  /** Up to the byte 0. */
  textAt(at: number): string {
    const { bytes } = this;
    return textOfBytes(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** Puts a text, and a byte 0 behind it, where `allocate` makes room; returns where, and how long it is. */
  put(text: string, allocate: (bytes: number) => number): { readonly at: number; readonly length: number } {
    const bytes = bytesOfText(text);
    const at = allocate(bytes.length + 1);
    if (at === 0) throw new Stopped("oom");
    this.bytes.set(bytes, at);
    this.bytes[at + bytes.length] = 0;
    return { at, length: bytes.length };
  }

  /** Leaves a process whose machine was dropped: the run goes on from its start. */
  #leave(): never {
    this.process.paused = true;
    this.process.horizon.isUnwound = true;
    throw new Left();
  }

  #grow(pages: number): void {
    hold(pages * pageBytes);
    this.#held += pages * pageBytes;
    this.#memory.grow(pages);
  }

  #left(): number {
    return this.#fuel.value;
  }

  #refill(): void {
    this.#given = Math.min(mostSteps, Math.max(0, Math.floor(this.process.meter.work * wasmStepsPerWork)));
    this.#fuel.value = this.#given;
  }

  #settle(): void {
    const used = this.#given - this.#left();
    this.#given = this.#left();
    const work = Math.max(0, used) / wasmStepsPerWork + this.invocations * invocationWork;
    this.invocations = 0;
    if (work > 0) charge(this.process, work);
  }
}
