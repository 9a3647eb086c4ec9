// Types for the used subset of WebAssembly, which every runtime has and the language does not declare.

/** A compiled module. */
export interface WasmModule {
  readonly [brand]?: never;
}
declare const brand: unique symbol;

export interface WasmGlobal {
  value: number;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** Grows the memory by pages of 64 KiB. */
  grow(pages: number): number;
}

export interface WasmTable {
  get(index: number): unknown;
}

export type WasmImports = Record<string, Record<string, unknown>>;

declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array<ArrayBuffer>): WasmModule;
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string; readonly kind: string }[];
  };
  readonly Instance: new (module: WasmModule, imports?: WasmImports) => { readonly exports: Record<string, unknown> };
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly RuntimeError: new () => Error;
};

export const wasm = WebAssembly;
