// The headers of SPDY streams: one compressed stream for each connection, flushed after each block.
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { dictionary } from "./dictionary.ts";

export type SpdyHeaders = Readonly<Record<string, string>>;

const longestBlock = 65_536;
/** The window of deflate: the data that must be kept between blocks. */
const windowSize = 32_768;
const zlibHead = Uint8Array.of(0x78, 0x01);
const finishFlush = constants.Z_SYNC_FLUSH;

/** Returns a reader of header blocks. After an invalid block it returns undefined. */
export function newHeaderReader(): (block: Uint8Array) => SpdyHeaders | undefined {
  let window: Uint8Array | undefined;
  return (block) => {
    let deflated = block;
    if (!window) {
      const head = block[1];
      if (head === undefined || ((block[0] ?? 0) & 15) !== 8) return undefined;
      // A client that does not use the dictionary compresses without it.
      const isPreset = (head & 32) !== 0;
      window = isPreset ? dictionary : new Uint8Array();
      deflated = block.subarray(isPreset ? 6 : 2);
    }
    const plain = inflated(deflated, window);
    if (!plain) return undefined;
    const history = new Uint8Array(window.length + plain.length);
    history.set(window);
    history.set(plain, window.length);
    window = history.slice(-windowSize);
    return parsed(plain);
  };
}

/** Returns a writer of blocks that do not refer to earlier ones, so that it keeps no state. */
export function newHeaderWriter(): (headers: SpdyHeaders) => Uint8Array {
  let isFirst = true;
  return (headers) => {
    const deflated = deflateRawSync(plainOf(headers), { finishFlush });
    if (!isFirst) return deflated;
    isFirst = false;
    const block = new Uint8Array(zlibHead.length + deflated.length);
    block.set(zlibHead);
    block.set(deflated, zlibHead.length);
    return block;
  };
}

function inflated(bytes: Uint8Array, window: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(bytes, {
      ...(window.length > 0 ? { dictionary: window } : {}),
      finishFlush,
      maxOutputLength: longestBlock,
    });
  } catch {
    return undefined;
  }
}

function parsed(plain: Uint8Array): SpdyHeaders | undefined {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.length);
  const decoder = new TextDecoder();
  let at = 0;
  const count = () => {
    at += 4;
    return at > plain.length ? undefined : view.getUint32(at - 4);
  };
  const text = () => {
    const length = count();
    if (length === undefined || at + length > plain.length) return undefined;
    at += length;
    return decoder.decode(plain.subarray(at - length, at));
  };
  const pairs: (readonly [string, string])[] = [];
  for (let left = count() ?? -1; left !== 0; left -= 1) {
    const name = left < 0 ? undefined : text();
    const value = text();
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name.toLowerCase(), value]);
  }
  return Object.fromEntries(pairs);
}

function plainOf(headers: SpdyHeaders): Uint8Array {
  const pairs = Object.entries(headers);
  const encoder = new TextEncoder();
  const texts = pairs.flat().map((text) => encoder.encode(text));
  const plain = new Uint8Array(4 + texts.reduce((sum, text) => sum + 4 + text.length, 0));
  const view = new DataView(plain.buffer);
  view.setUint32(0, pairs.length);
  let at = 4;
  for (const text of texts) {
    view.setUint32(at, text.length);
    plain.set(text, at + 4);
    at += 4 + text.length;
  }
  return plain;
}
