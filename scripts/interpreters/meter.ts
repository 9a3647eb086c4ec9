// Adds a counter to a WebAssembly module, so that it ends in a bounded number of steps. Each call of a function and each round of a loop
// takes one from the exported global `fuel`. A move of memory takes one for 64 bytes. The module traps if the counter falls below zero.
// The module also begins with no more memory than its data and its stack take, and asks its host for more, so that many can wait side by side.

const sections = { type: 1, import: 2, func: 3, memory: 5, global: 6, export: 7, code: 10, data: 11 } as const;
const kinds = { func: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;
const i32 = 0x7f;

/** Returns the bytes of the module with the counter. Throws if the module cannot be parsed. */
export function metered(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = sectionsOf(module);
  const typeParams = paramsOfTypes(all.get(sections.type));
  const imported = importsOf(all.get(sections.import));
  const functions = indexesOf(all.get(sections.func));
  const globals = all.get(sections.global);
  const count = imported.globals + (globals ? new Reader(globals).u32() : 0);
  const pages = pagesOf(all.get(sections.data), globals);
  const out: number[] = [...module.subarray(0, 8)];
  const reader = new Reader(module, 8);
  while (!reader.isDone) {
    const id = reader.byte();
    const body = reader.take(reader.u32());
    push(out, section(id, changed(id, body, { fuel: count, functions, typeParams, pages })));
  }
  return Uint8Array.from(out);
}

/** The initial count, for instructions at instantiation: 2 ** 28. */
const startSteps = [0x80, 0x80, 0x80, 0x80, 0x01];

interface Facts {
  /** The index of the counter. */
  readonly fuel: number;
  /** The types of the module's own functions. */
  readonly functions: readonly number[];
  /** The number of parameters of each type. */
  readonly typeParams: readonly number[];
  /** The pages of memory with which the module begins. */
  readonly pages: number;
}

function changed(id: number, body: Uint8Array, facts: Facts): readonly number[] | Uint8Array {
  if (id === sections.global) return extended(body, [i32, 1, 0x41, ...startSteps, 0x0b]);
  if (id === sections.export)
    return extended(body, [4, ...new TextEncoder().encode("fuel"), kinds.global, ...u32(facts.fuel)]);
  if (id === sections.memory) return [1, ...limitsWith(facts.pages, new Reader(body, 1))];
  if (id === sections.import) return importsWith(facts.pages, body);
  return id === sections.code ? codeOf(body, facts) : body;
}

const pageBytes = 65_536;

/** Returns the pages that data and stack take, and one more. Emscripten's stack begins at the value of the first global. */
function pagesOf(data: Uint8Array | undefined, globals: Uint8Array | undefined): number {
  const globalReader = new Reader(globals ?? Uint8Array.of(0));
  const hasStack = globalReader.u32() > 0 && globalReader.byte() === i32 && globalReader.byte() === 1;
  let endBytes = hasStack && globalReader.byte() === 0x41 ? globalReader.u32() : 0;
  const reader = new Reader(data ?? Uint8Array.of(0));
  for (let left = reader.u32(); left > 0; left--) {
    let from = 0;
    if (reader.u32() === 0) {
      reader.at++;
      from = reader.u32();
      reader.at++;
    }
    const length = reader.u32();
    reader.take(length);
    endBytes = Math.max(endBytes, from + length);
  }
  return Math.ceil(endBytes / pageBytes) + 1;
}

/** Encodes the limits of a memory with another minimum. */
function limitsWith(pages: number, reader: Reader): number[] {
  const hasMost = (reader.byte() & 1) === 1;
  const minimum = reader.u32();
  return [hasMost ? 1 : 0, ...u32(Math.min(pages, minimum)), ...(hasMost ? u32(reader.u32()) : [])];
}

function importsWith(pages: number, body: Uint8Array): number[] {
  const reader = new Reader(body);
  const out = u32(reader.u32());
  while (!reader.isDone) {
    const from = reader.at;
    const { kind, descriptionAt } = importOf(reader);
    push(out, body.subarray(from, kind === kinds.memory ? descriptionAt : reader.at));
    if (kind === kinds.memory) push(out, limitsWith(pages, new Reader(body, descriptionAt)));
  }
  return out;
}

/** Appends an entry to a vector. */
function extended(body: Uint8Array, entry: readonly number[]): number[] {
  const reader = new Reader(body);
  const count = reader.u32();
  const out = u32(count + 1);
  push(out, reader.rest());
  push(out, entry);
  return out;
}

function codeOf(body: Uint8Array, facts: Facts): number[] {
  const reader = new Reader(body);
  const count = reader.u32();
  const out = u32(count);
  for (let at = 0; at < count; at++) {
    const params = facts.typeParams[facts.functions[at] ?? 0] ?? 0;
    const code = functionOf(reader.take(reader.u32()), params, facts.fuel);
    push(out, u32(code.length));
    push(out, code);
  }
  return out;
}

function functionOf(body: Uint8Array, params: number, fuel: number): number[] {
  const reader = new Reader(body);
  const groups = reader.u32();
  const from = reader.at;
  let locals = params;
  for (let at = 0; at < groups; at++) {
    locals += reader.u32();
    reader.at++;
  }
  const out = u32(groups + 1);
  push(out, body.subarray(from, reader.at));
  // A local variable for the length of a move.
  out.push(1, i32);
  const step = stepOf(fuel);
  push(out, step);
  while (!reader.isDone) {
    const start = reader.at;
    const opcode = instruction(reader);
    if (opcode === memoryCopy || opcode === memoryFill) push(out, moveOf(fuel, locals));
    push(out, body.subarray(start, reader.at));
    if (opcode === 0x03) push(out, step);
  }
  return out;
}

/** Encodes `if (--fuel < 0) unreachable`. */
function stepOf(fuel: number): readonly number[] {
  const index = u32(fuel);
  const less = [0x23, ...index, 0x41, 1, 0x6b, 0x24, ...index];
  return [...less, 0x23, ...index, 0x41, 0, 0x48, 0x04, 0x40, 0x00, 0x0b];
}

/** Encodes `fuel -= length >>> 6`. The length stays on the stack. */
function moveOf(fuel: number, local: number): readonly number[] {
  const index = u32(fuel);
  const localIndex = u32(local);
  return [0x22, ...localIndex, 0x23, ...index, 0x20, ...localIndex, 0x41, 6, 0x76, 0x6b, 0x24, ...index];
}

const prefixed = 0xfc00;
const memoryCopy = prefixed + 10;
const memoryFill = prefixed + 11;

/** Skips an instruction. Returns its opcode. */
function instruction(reader: Reader): number {
  const opcode = reader.byte();
  if (opcode === 0xfc) return prefixed + prefixedInstruction(reader);
  if (opcode >= 0x02 && opcode <= 0x04) reader.skip(1);
  else if (opcode === 0x0c || opcode === 0x0d || opcode === 0x10) reader.skip(1);
  else if (opcode === 0x0e) reader.skip(reader.u32() + 1);
  else if (opcode === 0x11) reader.skip(2);
  else if (opcode === 0x1c) reader.skip(reader.u32());
  else if (opcode >= 0x20 && opcode <= 0x26) reader.skip(1);
  else if (opcode >= 0x28 && opcode <= 0x3e) reader.skip(2);
  else if (opcode === 0x3f || opcode === 0x40) reader.skip(1);
  else if (opcode === 0x41 || opcode === 0x42) reader.skip(1);
  else if (opcode === 0x43) reader.at += 4;
  else if (opcode === 0x44) reader.at += 8;
  else if (opcode === 0xd0 || opcode === 0xd2) reader.skip(1);
  else if (!plain(opcode)) throw new Error(`an instruction that is not known: 0x${opcode.toString(16)}`);
  return opcode;
}

/** Reports whether an opcode has no immediates. */
function plain(opcode: number): boolean {
  return [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(opcode) || (opcode >= 0x45 && opcode <= 0xc4);
}

function prefixedInstruction(reader: Reader): number {
  const opcode = reader.u32();
  if (opcode > 17) throw new Error(`an instruction that is not known: 0xfc ${opcode}`);
  const following = opcode < 8 ? 0 : [8, 10, 12, 14].includes(opcode) ? 2 : 1;
  reader.skip(following);
  return opcode;
}

function sectionsOf(module: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const sections = new Map<number, Uint8Array>();
  const reader = new Reader(module, 8);
  while (!reader.isDone) {
    const id = reader.byte();
    const body = reader.take(reader.u32());
    if (id !== 0) sections.set(id, body);
  }
  return sections;
}

function paramsOfTypes(body: Uint8Array | undefined): number[] {
  if (!body) return [];
  const reader = new Reader(body);
  return Array.from({ length: reader.u32() }, () => {
    if (reader.byte() !== 0x60) throw new Error("a type that is no function's");
    const params = reader.u32();
    reader.take(params);
    reader.take(reader.u32());
    return params;
  });
}

function importsOf(body: Uint8Array | undefined): { readonly globals: number } {
  let globals = 0;
  const reader = new Reader(body ?? Uint8Array.of(0));
  for (let left = reader.u32(); left > 0; left--) if (importOf(reader).kind === kinds.global) globals++;
  return { globals };
}

/** Reads an import. `descriptionAt`: the position behind its kind. */
function importOf(reader: Reader): { readonly kind: number; readonly descriptionAt: number } {
  reader.take(reader.u32());
  reader.take(reader.u32());
  const kind = reader.byte();
  const descriptionAt = reader.at;
  if (kind === kinds.func) reader.u32();
  else if (kind === kinds.memory || kind === kinds.table) {
    if (kind === kinds.table) reader.at++;
    const hasMost = (reader.byte() & 1) === 1;
    reader.skip(hasMost ? 2 : 1);
  } else reader.at += 2;
  return { kind, descriptionAt };
}

function indexesOf(body: Uint8Array | undefined): number[] {
  if (!body) return [];
  const reader = new Reader(body);
  return Array.from({ length: reader.u32() }, () => reader.u32());
}

function section(id: number, body: readonly number[] | Uint8Array): number[] {
  const out = [id, ...u32(body.length)];
  push(out, body);
  return out;
}

function push(out: number[], more: Iterable<number>): void {
  for (const byte of more) out.push(byte);
}

function u32(value: number): number[] {
  const out: number[] = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return [...out, left];
    out.push((left & 0x7f) | 0x80);
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isDone(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error("the module ends too early");
    return byte;
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Skips numbers of any width and sign. */
  skip(count: number): void {
    for (let left = count; left > 0; left--) while (this.byte() >= 0x80);
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.at);
  }
}
