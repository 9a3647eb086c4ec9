// Python: MicroPython as WebAssembly with a container's files and clock, and a library for what CPython has in addition.
import { must } from "../../../shared/base/assert.ts";
import type { Task } from "../../../shared/shell/task.ts";
import type { ProgramCall } from "../shell/program.ts";
import type { Process } from "../shell/process.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { FileSystem, type Stat } from "./file-system.ts";
import { Host } from "./host.ts";
import { idleCall } from "./idle.ts";
import { Left, Machine, type MemoryImage } from "./machine.ts";
import { interpreterModule } from "./modules.ts";
import { libraryFolder, prelude, pythonLibrary } from "./python-library/library.ts";
import { type WasmImports, type WasmModule, wasm } from "./webassembly.ts";

/** The sizes of the interpreter's stack and its first memory. */
const stackWords = 8192;
const heapBytes = 512 * 1024;
/** The work of starting the interpreter, before the program does anything. */
const startWork = 1500;
/** The descriptor of calls to the host: see `Host`. */
const hostDescriptor = 3;

export interface PythonProgram {
  /** `-c`, `-m` or a path, and the arguments: `sys.argv`. */
  readonly argv: readonly string[];
  readonly code: string;
  /** The file name in tracebacks. */
  readonly file: string;
  /** `-m`. */
  readonly module?: string;
  /** The first folder in which modules are searched. */
  readonly folder: string;
  readonly isUnbuffered: boolean;
  /** Whether lines are read and evaluated one by one, with prompts on a terminal. */
  readonly isInteractive: boolean;
  readonly isTerminal: boolean;
  /** The installed packages. */
  readonly packages: readonly string[];
}

/** Runs a program. Returns the exit code, or undefined if there is no interpreter. */
export function python(call: ProgramCall, program: PythonProgram): Task<number> | undefined {
  const module = interpreterModule("python");
  if (!module) return undefined;
  charge(call.process, startWork);
  const memory = readyMemory(module);
  return new Python(call, module, program).run(memory);
}

/** Thrown to leave a program that serves visitors for ever. It never continues; each visit is a call of its own. */
class Serving extends Error {}

/** The memories of interpreters that have read their library, by module. Each program begins with one. */
const ready = new WeakMap<WasmModule, MemoryImage>();

function readyMemory(module: WasmModule): MemoryImage {
  const cachedImage = ready.get(module);
  if (cachedImage) return cachedImage;
  const none = {
    code: "",
    argv: [],
    file: "",
    folder: "",
    packages: [],
    isUnbuffered: true,
    isInteractive: false,
    isTerminal: false,
  };
  const memory = new Python(idleCall(), module, none).prepared();
  ready.set(module, memory);
  return memory;
}

class Python {
  readonly #host: Host;
  readonly #process: Process;
  readonly #files: FileSystem;
  readonly #machine: Machine;
  #reply: Uint8Array = new Uint8Array();
  #exitCode = 0;
  #hasExited = false;
  /** The event that a serving program has waited for, in JSON. */
  #event = "{}";

  constructor(call: ProgramCall, module: WasmModule, program: PythonProgram) {
    const { process, shell } = call;
    this.#process = process;
    this.#host = new Host(call, !program.isTerminal && !program.isUnbuffered);
    this.#files = new FileSystem(shell, new Map([...pythonLibrary, ...this.#start(call, program)]));
    const names = { memory: "memory", table: "__indirect_function_table" };
    this.#machine = new Machine(process, module, this.#imports(module), names);
  }

  /** Returns the memory after the library has been read. */
  prepared(): MemoryImage {
    try {
      this.#machine.run(() => {
        const { functions } = this.#machine;
        functions["__wasm_call_ctors"]?.();
        functions["mp_js_init"]?.(stackWords, heapBytes);
        functions["proxy_c_init"]?.();
        this.#execute(prelude);
      });
      return this.#machine.image();
    } finally {
      this.#machine.close();
    }
  }

  /** Runs the program with a prepared memory. Returns the exit code. */
  *run(memory: MemoryImage): Task<number> {
    const machine = this.#machine;
    try {
      machine.replace(memory);
      this.#begin("main");
      while (!this.#hasExited) {
        machine.park();
        this.#event = yield* this.#host.answer('["wait",null,true]');
        this.#begin("serve");
      }
    } catch (error) {
      if (!(error instanceof Left)) throw error;
      return 0;
    } finally {
      this.#machine.close();
    }
    this.#host.flush();
    return this.#exitCode;
  }

  /** Calls a function of the library until it ends, or until the program serves visitors. */
  #begin(name: "main" | "serve"): void {
    try {
      this.#machine.run(() => this.#execute(`import _program\n_program.${name}()`));
    } catch (error) {
      if (!(error instanceof Serving)) throw error;
    }
  }

  #execute(code: string): void {
    const machine = this.#machine;
    const { functions } = machine;
    const allocate = (bytes: number) => functions["malloc"]?.(bytes) ?? 0;
    const { at, length } = machine.put(code, allocate);
    const into = allocate(resultBytes);
    functions["mp_js_do_exec"]?.(at, length, into);
    if (machine.view.getInt32(into, true) !== -1) return;
    const text = machine.text(machine.view.getUint32(into + 8, true), machine.view.getUint32(into + 4, true));
    throw new Error(`Python's library failed: ${text.replace("\x04", ": ")}`);
  }

  /** Returns the files that the library reads first. They are not visible in the container. */
  #start({ shell, process }: ProgramCall, program: PythonProgram): [string, string][] {
    const { argv, file, folder, module = "", isInteractive, isTerminal, code } = program;
    const facts = {
      argv,
      file,
      folder,
      module,
      isInteractive,
      isTerminal,
      packages: program.packages,
      address: process.self.address,
      host: process.host,
      pid: process.isFirst ? 1 : 7,
      uid: process.self.uid,
      gid: process.self.gid,
      environ: Object.fromEntries(shell.variables),
    };
    return [
      [`${libraryFolder}/.start.json`, JSON.stringify(facts)],
      [`${libraryFolder}/.program.py`, code],
    ];
  }

  #imports(module: WasmModule): WasmImports {
    const hostFunctions: Record<string, (...callArguments: never[]) => unknown> = {
      ...this.#system(),
      ...this.#invocations(module),
      mp_js_random_u32: () => this.#host.random(),
      mp_js_ticks_ms: () => this.#process.clockMs % 2 ** 30,
      mp_js_time_ms: () => this.#host.readClock(),
      emscripten_resize_heap: (bytes: number) => this.#machine.host(() => this.#machine.grow(bytes)),
      _emscripten_throw_longjmp: () => {
        // As in Emscripten, a number that is not an error.
        // oxlint-disable-next-line typescript/only-throw-error
        throw Number.POSITIVE_INFINITY;
      },
    };
    const imports: Record<string, Record<string, unknown>> = {};
    for (const { module: from, name } of wasm.Module.imports(module)) {
      (imports[from] ??= {})[name] = hostFunctions[name] ?? (() => 0);
    }
    return imports;
  }

  /** Returns the host functions through which the module calls itself where a `longjmp` can leave the call. */
  #invocations(module: WasmModule): Record<string, (...callArguments: number[]) => unknown> {
    const names = wasm.Module.imports(module).map(({ name }) => name);
    // The module never changes its table, and reading it takes longer than most of its functions.
    const tableFunctions: ((...callArguments: number[]) => unknown)[] = [];
    let stackNow: () => number = () => 0;
    const invoke = (index = 0, ...callArguments: number[]): unknown => {
      const machine = this.#machine;
      machine.invocations++;
      if (tableFunctions.length === 0) stackNow = must(machine.functions["emscripten_stack_get_current"], "a stack");
      const run = (tableFunctions[index] ??= machine.table?.get(index) as (...callArguments: number[]) => unknown);
      const stack = stackNow();
      try {
        return run(...callArguments);
      } catch (error) {
        // The stack of a serving program is kept.
        if (typeof error !== "number") throw error;
        const { functions } = machine;
        functions["_emscripten_stack_restore"]?.(stack);
        functions["setThrew"]?.(1, 0);
        return 0;
      }
    };
    return Object.fromEntries(names.filter((name) => name.startsWith("invoke_")).map((name) => [name, invoke]));
  }

  #system(): Record<string, (...callArguments: never[]) => unknown> {
    const files = this.#files;
    const path = (at: number) => files.absolute(this.#machine.textAt(at));
    const stat = (at: number, into: number) => this.#stat(path(at), into);
    const all: Record<string, (...callArguments: never[]) => number> = {
      __syscall_openat: (_: number, at: number, flags: number) => files.open(path(at), flags),
      __syscall_stat64: stat,
      __syscall_lstat64: stat,
      __syscall_newfstatat: (_: number, at: number, into: number) => stat(at, into),
      __syscall_fstat64: () => 0,
      __syscall_getcwd: (into: number, size: number) => this.#folder(into, size),
      __syscall_chdir: (at: number) => this.#enter(path(at)),
      __syscall_mkdirat: (_: number, at: number) => files.makeFolder(path(at)),
      __syscall_rmdir: (at: number) => files.remove(path(at), true),
      __syscall_unlinkat: (_: number, at: number, flags: number) => files.remove(path(at), flags === removesFolder),
      __syscall_renameat: (_: number, from: number, __: number, to: number) => files.rename(path(from), path(to)),
      __syscall_getdents64: (descriptor: number, into: number, length: number) => this.#names(descriptor, into, length),
      __syscall_poll: () => 0,
      fd_read: (descriptor: number, at: number, count: number, read: number) => this.#read(descriptor, at, count, read),
      fd_write: (descriptor: number, at: number, count: number, written: number) =>
        this.#write(descriptor, at, count, written),
      fd_close: (descriptor: number) => files.close(descriptor),
      fd_seek: (descriptor: number, offset: bigint, from: number, into: number) =>
        this.#seek(descriptor, Number(offset), from, into),
      fd_sync: () => 0,
    };
    return Object.fromEntries(
      Object.entries(all).map(([name, body]) => [
        name,
        (...callArguments: never[]) => this.#machine.host(() => body(...callArguments)),
      ]),
    );
  }

  #folder(into: number, size: number): number {
    const { at, length } = this.#machine.put(this.#files.folder, (bytes) => (bytes > size ? 0 : into));
    return at === 0 ? 0 : length + 1;
  }

  #enter(path: string): number {
    if (!this.#files.isFolder(path)) return -enoent;
    this.#files.folder = path;
    return 0;
  }

  #stat(path: string, into: number): number {
    const fileStat = this.#files.stat(path);
    if (typeof fileStat === "number") return fileStat;
    writeStat(this.#machine.view, into, fileStat);
    return 0;
  }

  /** Writes a `struct dirent` for each name into memory. */
  #names(descriptor: number, into: number, length: number): number {
    const { bytes, view } = this.#machine;
    let at = into;
    for (const { name, isFolder } of this.#files.names(descriptor, Math.floor(length / direntBytes))) {
      const text = new TextEncoder().encode(name).subarray(0, direntBytes - 20);
      bytes.fill(0, at, at + direntBytes);
      view.setBigUint64(at, 1n, true);
      view.setUint16(at + 16, direntBytes, true);
      view.setUint8(at + 18, isFolder ? 4 : 8);
      bytes.set(text, at + 19);
      at += direntBytes;
    }
    return at - into;
  }

  #read(descriptor: number, vectors: number, count: number, into: number): number {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const [at, length] = this.#vector(vectors, index);
      const some = descriptor === hostDescriptor ? this.#replied(length) : this.#files.read(descriptor, length);
      if (typeof some === "number") return -some;
      this.#machine.bytes.set(some, at);
      total += some.length;
      if (some.length < length) break;
    }
    this.#machine.view.setUint32(into, total, true);
    return 0;
  }

  #replied(length: number): Uint8Array {
    const some = this.#reply.subarray(0, length);
    this.#reply = this.#reply.subarray(some.length);
    return some;
  }

  #write(descriptor: number, vectors: number, count: number, into: number): number {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const [at, length] = this.#vector(vectors, index);
      const failed = length > 0 ? this.#written(descriptor, at, length) : 0;
      if (failed < 0) return -failed;
      total += length;
    }
    this.#machine.view.setUint32(into, total, true);
    return 0;
  }

  #written(descriptor: number, at: number, length: number): number {
    if (descriptor > hostDescriptor) {
      return this.#files.write(descriptor, this.#machine.bytes.slice(at, at + length));
    }
    const text = this.#machine.text(at, length);
    charge(this.#process, 0.2 + length / 1024);
    if (descriptor === hostDescriptor) this.#asked(text);
    else if (descriptor === 1) this.#host.write(text);
    else this.#host.complain(text);
    return length;
  }

  #asked(text: string): void {
    this.#reply = new TextEncoder().encode(this.#answer(text));
  }

  #answer(text: string): string {
    if (text === '["serve"]') throw new Serving();
    if (text === '["event"]') return this.#event;
    const code = /^\["exit", ?(-?\d+)\]$/.exec(text)?.[1];
    if (code === undefined) return this.#host.ask(text);
    this.#exitCode = Number(code) & 255;
    this.#hasExited = true;
    return "null";
  }

  #seek(descriptor: number, offset: number, from: number, into: number): number {
    const at = this.#files.seek(descriptor, offset, from);
    if (at < 0) return -at;
    this.#machine.view.setBigInt64(into, BigInt(at), true);
    return 0;
  }

  #vector(vectors: number, index: number): readonly [at: number, length: number] {
    const { view } = this.#machine;
    return [view.getUint32(vectors + 8 * index, true), view.getUint32(vectors + 8 * index + 4, true)];
  }
}

const resultBytes = 12;
const enoent = 2;
/** `AT_REMOVEDIR` of musl. */
const removesFolder = 0x200;
const direntBytes = 280;

/** Writes a `struct stat` of Emscripten's musl into memory. */
function writeStat(view: DataView, at: number, { mode, size, changedMs, uid, gid }: Stat): void {
  for (let offset = 0; offset < 96; offset += 4) view.setUint32(at + offset, 0, true);
  const blockBytes = 4096;
  const fields = [
    [4, mode],
    [8, 1],
    [12, uid],
    [16, gid],
    [24, size],
    [32, blockBytes],
    [36, Math.ceil(size / 512)],
  ] as const;
  for (const [offset, value] of fields) view.setUint32(at + offset, value, true);
  for (const offset of [40, 56, 72]) view.setBigInt64(at + offset, BigInt(Math.floor(changedMs / 1000)), true);
  view.setBigUint64(at + 88, 1n, true);
}
