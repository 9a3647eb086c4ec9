// The length of text as the wire and upstream count it: in UTF-8 bytes.

export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    // A surrogate pair is two units and four bytes; everything else is one unit and two or three bytes.
    if (isPair) at += 1;
    bytes += isPair || unit >= 0x800 ? 2 : 1;
  }
  return bytes;
}
