// Runs a WebAssembly module with a counter of its steps (scripts/interpreters/meter.ts) for a process. The steps are charged to the process's
// meter, and the module stops when the budget is spent.
import { bytesOfText, textOfBytes, joinBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import { wasmStepsPerWork } from "../../../shared/k8s/bounds/work.ts";
import { Stopped, charge } from "../../../shared/shell/meter.ts";
import { type Process } from "../shell/process.ts";
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
/** The work of a call through the host, in addition to the steps of the called function. */
const invocationWork = 0.015;

/** Thrown to unwind an interpreter's stack when its run pauses. The interpreter is not used again. */
export class Left extends Error {}

interface MemoryBlock {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The contents of a memory: its blocks that are not zero. */
export interface MemoryImage {
  readonly length: number;
  readonly blocks: readonly MemoryBlock[];
}

/** The size of the blocks that an image either stores or omits. */
const imageBlockBytes = 4096;

export type Functions = Readonly<Record<string, (...callArguments: number[]) => number>>;

/** The bytes of the memories of all open machines. */
let totalMemoryBytes = 0;

/** Machines with empty stacks, the least recently used first. Each is resumed, or dropped when another machine needs its memory. */
const parkedMachines = new Set<Machine>();

/** Makes room for a machine's memory. Throws `Stopped` if all running machines would hold too much. */
function hold(bytes: number): void {
  for (const machine of parkedMachines) {
    if (totalMemoryBytes + bytes <= limits.interpretersMemoryBytes) break;
    machine.evict();
  }
  if (totalMemoryBytes + bytes > limits.interpretersMemoryBytes) throw new Stopped("oom");
  totalMemoryBytes += bytes;
}

/** An instance of a module with its memory. Its creator must close it. */
export class Machine {
  readonly process: Process;
  readonly #fuel: WasmGlobal;
  readonly #memory: WasmMemory;
  readonly table: WasmTable | undefined;
  /** The functions that the module exports, by name. */
  readonly functions: Functions;
  /** The number of calls whose work is not charged yet. The module makes them through its host, so that a `longjmp` can leave them. */
  invocations = 0;
  #granted = 0;
  #reservedBytes = 0;
  #isOpen = false;

  /** `memory`: a memory that the module imports. */
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
    this.#reservedBytes = this.memoryBytes;
    process.horizon.machines++;
    this.#isOpen = true;
  }

  /** Releases the memory. */
  close(): void {
    totalMemoryBytes -= this.#reservedBytes;
    this.#reservedBytes = 0;
    if (this.#isOpen && !parkedMachines.delete(this)) this.process.horizon.machines--;
    this.#isOpen = false;
  }

  /** Lets the run wait until the machine is called again. Its stack must be empty, or never be returned to. */
  park(): void {
    if (!this.#isOpen || parkedMachines.has(this)) return;
    parkedMachines.add(this);
    this.process.horizon.machines--;
  }

  /** Drops the memory of a parked machine. Its run is then computed again from its start. */
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

  /** Calls into the module. Throws `Stopped` at the end of the budget. */
  run<T>(body: () => T): T {
    if (!this.#isOpen) this.#leave();
    if (parkedMachines.delete(this)) this.process.horizon.machines++;
    this.#refill();
    try {
      return body();
    } catch (error) {
      // The stack or the memory is exhausted.
      const isCrash = error instanceof wasm.RuntimeError || error instanceof RangeError;
      if (isCrash && this.#left() >= 0) throw new Stopped("crashed");
      if (!isCrash) throw error;
      return undefined as T;
    } finally {
      this.#settle();
    }
  }

  /** Runs a call of the module to its host. The process pays for it directly. */
  host<T>(body: () => T): T {
    this.#settle();
    const result = body();
    this.#refill();
    return result;
  }

  /** Grows the memory. The container ends if the memory would exceed its limit. */
  grow(wantedBytes: number): number {
    const most = Math.min(this.process.memoryLimit ?? limits.interpreterMemoryBytes, limits.interpreterMemoryBytes);
    if (wantedBytes > most) throw new Stopped("oom");
    const roomyBytes = Math.min(most, wantedBytes * 1.25);
    const pages = Math.ceil((Math.max(roomyBytes, wantedBytes) - this.memoryBytes) / pageBytes);
    if (pages > 0) this.#grow(pages);
    return 1;
  }

  /** Returns the blocks of the memory that are not zero. */
  image(): MemoryImage {
    const words = new Uint32Array(this.#memory.buffer);
    const step = imageBlockBytes / 4;
    const blocks: MemoryBlock[] = [];
    for (let at = 0; at < words.length; at += step) {
      if (words.subarray(at, at + step).every((word) => word === 0)) continue;
      const bytes = this.bytes.subarray(4 * at, 4 * (at + step));
      const last = blocks.at(-1);
      if (last && last.at + last.bytes.length === 4 * at) {
        blocks[blocks.length - 1] = { at: last.at, bytes: joinBytes([last.bytes, bytes]) };
      } else blocks.push({ at: 4 * at, bytes: bytes.slice() });
    }
    return { length: this.memoryBytes, blocks };
  }

  /** Writes an image into the memory of a new machine. */
  replace({ length, blocks }: MemoryImage): void {
    if (length > this.memoryBytes) this.#grow((length - this.memoryBytes) / pageBytes);
    for (const { at, bytes } of blocks) this.bytes.set(bytes, at);
  }

  text(at: number, length: number): string {
    return textOfBytes(this.bytes.subarray(at, at + length));
  }

  /** Reads a text up to the byte 0. */
  textAt(at: number): string {
    const { bytes } = this;
    return textOfBytes(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** Writes a text with a closing byte 0 where `allocate` makes room. Returns its address and its length. */
  put(text: string, allocate: (bytes: number) => number): { readonly at: number; readonly length: number } {
    const bytes = bytesOfText(text);
    const at = allocate(bytes.length + 1);
    if (at === 0) throw new Stopped("oom");
    this.bytes.set(bytes, at);
    this.bytes[at + bytes.length] = 0;
    return { at, length: bytes.length };
  }

  /** Abandons a process whose machine was evicted. The run is then computed again from its start. */
  #leave(): never {
    this.process.paused = true;
    this.process.horizon.isUnwound = true;
    throw new Left();
  }

  #grow(pages: number): void {
    hold(pages * pageBytes);
    this.#reservedBytes += pages * pageBytes;
    this.#memory.grow(pages);
  }

  #left(): number {
    return this.#fuel.value;
  }

  #refill(): void {
    this.#granted = Math.min(mostSteps, Math.max(0, Math.floor(this.process.meter.work * wasmStepsPerWork)));
    this.#fuel.value = this.#granted;
  }

  #settle(): void {
    const used = this.#granted - this.#left();
    this.#granted = this.#left();
    const work = Math.max(0, used) / wasmStepsPerWork + this.invocations * invocationWork;
    this.invocations = 0;
    if (work > 0) charge(this.process, work);
  }
}
