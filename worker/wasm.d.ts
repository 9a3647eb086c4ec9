// A file of WebAssembly is a module that is compiled already.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
