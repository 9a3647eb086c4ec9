// Compresses texts for the Worker's bundle. A text stands there in base64, which costs the engine nothing until it is used.
import { brotliCompressSync, constants } from "node:zlib";

/** Returns the code of a function without parameters that returns the decompressed bytes. */
export function unpacking(text: string): string {
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return `() => brotliDecompressSync(Buffer.from("${brotliCompressSync(bytes, { params }).toString("base64")}", "base64"))`;
}

/** The imports that the code of `unpacking` needs. */
export const unpackingImports = `import { Buffer } from "node:buffer";\nimport { brotliDecompressSync } from "node:zlib";\n`;
