// Writes archives in the format ustar, an entry at a time.

const blockBytes = 512;
const nameBytes = 100;
const encoder = new TextEncoder();

/** Returns the header, the content and the padding of a file. Its name has at most 100 bytes. */
export function tarEntry(name: string, content: Uint8Array, atMs: number): Uint8Array<ArrayBuffer>[] {
  const padding = (blockBytes - (content.byteLength % blockBytes)) % blockBytes;
  return [header(name, content.byteLength, atMs), new Uint8Array(content), new Uint8Array(padding)];
}

/** Returns the end of an archive. */
export function tarEnd(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(2 * blockBytes);
}

function header(name: string, bytes: number, atMs: number): Uint8Array<ArrayBuffer> {
  const nameField = encoder.encode(name);
  if (nameField.byteLength > nameBytes) throw new Error(`the name ${name} is too long for an archive`);
  const block = new Uint8Array(blockBytes);
  const write = (text: string, at: number) => block.set(encoder.encode(text), at);
  block.set(nameField);
  write("0000600\0", 100);
  write("0000000\0", 108);
  write("0000000\0", 116);
  write(`${octal(bytes, 11)} `, 124);
  write(`${octal(Math.floor(atMs / 1000), 11)} `, 136);
  write(" ".repeat(8), 148);
  write("0", 156);
  write("ustar\0" + "00", 257);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  write(`${octal(checksum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
