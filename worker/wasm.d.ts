// A file of WebAssembly is a module that is compiled already.
declare module "*.wasm" {
  const module: import("./containers/wasm/webassembly.ts").WasmModule;
  export default module;
}
