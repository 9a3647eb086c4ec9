// Compresses bodies with gzip at the fastest level, as upstream does. The platform's CompressionStream has only the default level, which
// takes more than twice the time and saves little in lists.
import { constants, crc32, deflateRawSync } from "node:zlib";
import { joinBytes } from "../../../shared/base/byte-text.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The header of a gzip file without a name and a time. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3);
/** The last block of a deflated text. It is empty. */
const lastBlock = Uint8Array.of(3, 0);
const options = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 64 * 1024 };

/** Returns a compressed body. */
export function gzip(body: string | Bytes): Bytes {
  const writer = new GzipWriter();
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return joinBytes([header, writer.deflate(bytes), writer.end()]);
}

/** Compresses a stream. Each chunk can be read when it arrives, so a slow list is not delayed further. */
export function gzipStream(): TransformStream<Uint8Array, Uint8Array> {
  const writer = new GzipWriter();
  return new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(header),
    transform: (chunk, controller) => controller.enqueue(writer.deflate(chunk)),
    flush: (controller) => controller.enqueue(writer.end()),
  });
}

class GzipWriter {
  #crc = 0;
  #length = 0;

  /** Returns the next blocks. They end at a byte and refer to no earlier ones. */
  deflate(bytes: Uint8Array): Uint8Array {
    this.#crc = crc32(bytes, this.#crc);
    this.#length += bytes.length;
    return deflateRawSync(bytes, options);
  }

  /** Returns the last block, the checksum, and the length modulo 2^32. */
  end(): Bytes {
    const trailer = new DataView(new ArrayBuffer(8));
    trailer.setUint32(0, this.#crc, true);
    trailer.setUint32(4, this.#length % 2 ** 32, true);
    return joinBytes([lastBlock, new Uint8Array(trailer.buffer)]);
  }
}
