// Reads the files of a tar archive, as far as `kubectl cp` needs them: plain files with ustar names.
interface TarFile {
  readonly name: string;
  readonly content: Uint8Array;
}

const blockBytes = 512;
const sizeAt = 124;
const typeAt = 156;
const prefixAt = 345;

export function* tarFiles(archive: Uint8Array): Generator<TarFile> {
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const head = archive.subarray(at, at + blockBytes);
    const name = textAt(head, 0, 100);
    if (name === "") return;
    const size = Number.parseInt(textAt(head, sizeAt, 12), 8) || 0;
    const start = at + blockBytes;
    const prefix = textAt(head, prefixAt, 155);
    const isFile = head[typeAt] === 0 || head[typeAt] === "0".charCodeAt(0);
    if (isFile)
      yield { name: prefix === "" ? name : `${prefix}/${name}`, content: archive.subarray(start, start + size) };
    at = start + Math.ceil(size / blockBytes) * blockBytes;
  }
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trim();
}
