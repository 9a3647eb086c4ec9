// JavaScript: QuickJS as WebAssembly, with as much of Node.js around it as the programs of lessons use.
import { charge } from "../../../shared/shell/meter.ts";
import type { ProgramCall } from "../shell/program.ts";
import { FileSystem } from "./file-system.ts";
import { Host } from "./host.ts";
import { idleCall } from "./idle.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { Left, Machine, type MemoryImage } from "./machine.ts";
import { interpreterModule } from "./modules.ts";
import { javascriptLibrary } from "./javascript-library/library.ts";
import { type WasmImports, type WasmMemory, type WasmModule, wasm } from "./webassembly.ts";

/** The work of starting the interpreter, before the program does anything. */
const startWork = 1500;
const stackBytes = 256 * 1024;
/** The pages of memory. The build lowers the minimum of the module to its data and stack, 83. */
const memory = { initial: 83, maximum: 32_768 };

/** The short names that the package's build gives to functions (0.32.0). */
const letters = {
  start: "u",
  malloc: "v",
  setStack: "D",
  newRuntime: "K",
  newContext: "N",
  freeText: "S",
  newString: "_",
  getString: "$",
  runJobs: "ga",
  setProperty: "ja",
  exceptionOf: "na",
  evaluate: "pa",
  global: "ua",
  promiseState: "wa",
  promiseResult: "xa",
  newFunction: "Da",
  argument: "Ea",
} as const;
const hostCall = "s";
const growMemory = "k";
const timeNow = "p";
const writeOut = "c";

export interface JavascriptProgram {
  readonly argv: readonly string[];
  readonly code: string;
  /** An absolute path, or `[eval]`. */
  readonly file: string;
  /** Whether the result of the code is printed (`-p`). */
  readonly prints: boolean;
  readonly isInteractive: boolean;
  readonly isTerminal: boolean;
  readonly packages: readonly string[];
}

/** Runs a program. Returns the exit code, or undefined if there is no interpreter. */
export function javascript(call: ProgramCall, program: JavascriptProgram): Task<number> | undefined {
  const module = interpreterModule("javascript");
  if (!module) return undefined;
  charge(call.process, startWork);
  const begun = ready(module);
  return new Javascript(call, module).run(begun, program);
}

interface Ready {
  readonly memory: MemoryImage;
  readonly runtime: number;
  readonly context: number;
}

const readyByModule = new WeakMap<WasmModule, Ready>();

/** Returns the memory of an interpreter that has read its library. Each program begins with it. */
function ready(module: WasmModule): Ready {
  const readyState = readyByModule.get(module) ?? new Javascript(idleCall(), module).prepared();
  readyByModule.set(module, readyState);
  return readyState;
}

/** Thrown when the program ends itself. */
class Exited extends Error {
  readonly code: number;
  constructor(code: number) {
    super("exit");
    this.code = code;
  }
}

class Javascript {
  readonly #host: Host;
  readonly #call: ProgramCall;
  readonly #files: FileSystem;
  readonly #machine: Machine;
  #runtime = 0;
  #context = 0;

  constructor(call: ProgramCall, module: WasmModule) {
    this.#call = call;
    this.#host = new Host(call, false);
    this.#files = new FileSystem(call.shell, new Map());
    const ownMemory = new wasm.Memory(memory);
    this.#machine = new Machine(call.process, module, this.#imports(module, ownMemory), { memory: ownMemory });
  }

  prepared(): Ready {
    const machine = this.#machine;
    try {
      machine.run(() => {
        this.#do("start");
        this.#runtime = this.#do("newRuntime");
        this.#do("setStack", this.#runtime, stackBytes);
        this.#context = this.#do("newContext", this.#runtime, 0);
        for (const [id, name] of Object.keys(this.#functions()).entries()) this.#expose(name, id);
        for (const [file, code] of javascriptLibrary) {
          const problem = this.#thrown(this.#evaluate(code, file));
          if (problem !== undefined) throw new Error(`JavaScript's library failed: ${problem}`);
        }
      });
      return { memory: machine.image(), runtime: this.#runtime, context: this.#context };
    } finally {
      machine.close();
    }
  }

  *run({ memory, runtime, context }: Ready, program: JavascriptProgram): Task<number> {
    this.#runtime = runtime;
    this.#context = context;
    try {
      this.#machine.replace(memory);
      yield* this.#follow(program);
    } catch (error) {
      if (error instanceof Exited) return error.code;
      if (!(error instanceof Left)) throw error;
    } finally {
      this.#machine.close();
    }
    return 0;
  }

  /** Runs the program and then its callbacks one after the other. WebAssembly's stack is empty at each wait. */
  *#follow(program: JavascriptProgram): Task<void> {
    const machine = this.#machine;
    machine.run(() => this.#evaluate(`__node.start(${JSON.stringify(this.#facts(program))})`, "node:internal"));
    for (;;) {
      const turn = machine.run(() => {
        this.#runJobs();
        return this.#text(this.#evaluate("__node.turn()", "node:internal"));
      });
      if (turn.startsWith("[")) {
        machine.park();
        const result = yield* this.#host.answer(turn);
        machine.run(() => this.#evaluate(`__node.resume(${result})`, "node:internal"));
      } else if (turn !== "true") return;
    }
  }

  #facts({ argv, code, file, prints, isInteractive, isTerminal, packages }: JavascriptProgram): object {
    const { shell, process } = this.#call;
    return {
      argv,
      code,
      file,
      prints,
      isInteractive,
      isTerminal,
      packages,
      env: Object.fromEntries(shell.variables),
      folder: shell.folder,
      host: process.host,
      address: process.self.address,
      pid: process.isFirst ? 1 : 7,
    };
  }

  /** Returns the functions that the library calls, by name. Their arguments are texts. */
  #functions(): Record<string, (first: string, second: string) => number> {
    return {
      __ask: (text) => this.#string(this.#machine.host(() => this.#asked(text))),
      __compile: (code, file) => this.#evaluate(code, file),
      __jobs: () => {
        this.#runJobs();
        return 0;
      },
      __promise: () => 0,
    };
  }

  #asked(text: string): string {
    const code = /^\["exit",(-?\d+)\]$/.exec(text)?.[1];
    if (code !== undefined) throw new Exited(Number(code) & 255);
    // The library wrote it.
    const [name, ...callArguments] = JSON.parse(text) as [string, ...unknown[]];
    charge(this.#call.process, 1);
    const file = this.#file(name, callArguments.map(String));
    if (file !== undefined) return JSON.stringify(file);
    if (name === "out") this.#host.write(String(callArguments[0]));
    else return this.#host.ask(text);
    return "null";
  }

  /** Handles calls for files; undefined for other calls. A number is an error number. */
  #file(name: string, [first = "", second = ""]: readonly string[]): unknown {
    const files = this.#files;
    const path = files.absolute(first);
    const { process } = this.#call;
    switch (name) {
      case "read":
        return files.textOf(path) ?? (files.isFolder(path) ? -21 : -2);
      case "write":
      case "append": {
        const flags = 1 | 0o100 | (name === "append" ? 0o2000 : 0o1000);
        const descriptor = files.open(path, flags);
        if (descriptor < 0) return descriptor;
        files.write(descriptor, new TextEncoder().encode(second));
        return files.close(descriptor);
      }
      case "stat":
        return files.stat(path);
      case "names":
        return files.isFolder(path) ? process.files.names(path) : files.textOf(path) === undefined ? -2 : -20;
      case "mkdir":
        return files.makeFolder(path);
      case "rmdir":
        return files.remove(path, true);
      case "unlink":
        return files.remove(path, false);
      case "rename":
        return files.rename(path, files.absolute(second));
      case "chdir":
        if (!files.isFolder(path)) return -2;
        files.folder = path;
        return 0;
      default:
        return undefined;
    }
  }

  #imports(module: WasmModule, ownMemory: WasmMemory): WasmImports {
    const calls = Object.values(this.#functions());
    const hostFunctions: Record<string, (...callArguments: number[]) => unknown> = {
      [hostCall]: (_context, _this, count = 0, argv = 0, id = 0) => {
        const text = (index: number) => (index < count ? this.#text(this.#do("argument", argv, index)) : "");
        return calls[id]?.(text(0), text(1)) ?? 0;
      },
      [growMemory]: (bytes = 0) => this.#machine.host(() => this.#machine.grow(bytes >>> 0)),
      [timeNow]: () => this.#host.readClock(),
      [writeOut]: () => 0,
    };
    const imports: Record<string, unknown> = {};
    for (const { name, kind } of wasm.Module.imports(module)) {
      imports[name] = kind === "memory" ? ownMemory : (hostFunctions[name] ?? (() => 0));
    }
    return { a: imports };
  }

  #expose(name: string, id: number): void {
    const text = this.#put(name);
    const functionValue = this.#do("newFunction", this.#context, text.at, 2, 0, id);
    this.#do("setProperty", this.#context, this.#do("global", this.#context), this.#string(name), functionValue);
  }

  #evaluate(code: string, file: string): number {
    const text = this.#put(code);
    return this.#do("evaluate", this.#context, text.at, text.length, this.#put(file).at, 0, 0);
  }

  #runJobs(): void {
    const into = this.#allocate(4);
    this.#do("runJobs", this.#runtime, -1, into);
  }

  /** Returns the text of a thrown error; undefined for other values. */
  #thrown(value: number): string | undefined {
    const thrown = this.#do("exceptionOf", this.#context, value);
    return thrown === 0 ? undefined : this.#text(thrown);
  }

  #text(value: number): string {
    const at = this.#do("getString", this.#context, value);
    const text = this.#machine.textAt(at);
    this.#do("freeText", this.#context, at);
    return text;
  }

  #string(text: string): number {
    return this.#do("newString", this.#context, this.#put(text).at);
  }

  #put(text: string): { readonly at: number; readonly length: number } {
    return this.#machine.put(text, (bytes) => this.#allocate(bytes));
  }

  #allocate(bytes: number): number {
    return this.#do("malloc", bytes);
  }

  #do(name: keyof typeof letters, ...callArguments: number[]): number {
    return this.#machine.functions[letters[name]]?.(...callArguments) ?? 0;
  }
}
