// The used declarations of the platform's `node:zlib`, beside those of `shared/base/node.d.ts`: synchronous compression with a dictionary.
declare module "node:zlib" {
  interface Options {
    readonly dictionary?: Uint8Array;
    readonly finishFlush?: number;
    readonly maxOutputLength?: number;
  }
  export function deflateRawSync(bytes: Uint8Array, options: Options): Uint8Array;
  export function inflateRawSync(bytes: Uint8Array, options: Options): Uint8Array;
}
