// Hashes of passwords in files: those of htpasswd, and of `openssl passwd`.
import { createHash } from "node:crypto";
import { base64Of } from "../../../../../shared/base/base64.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";

type Bytes = Uint8Array<ArrayBufferLike>;

/** Reports whether a password matches a stored hash. False for hashes of bcrypt and the old crypt, which are not implemented. */
export function isPassword(password: string, storedHash: string): boolean {
  const [, id = "", rounds, salt = ""] = /^\$(apr1|1|5|6)\$(?:rounds=(\d+)\$)?([^$]*)\$/.exec(storedHash) ?? [];
  if (id === "apr1" || id === "1") return md5Crypt(password, salt, id) === storedHash;
  if (id === "5" || id === "6")
    return shaCrypt(password, salt, id, rounds === undefined ? undefined : Number(rounds)) === storedHash;
  if (storedHash.startsWith("{SHA}"))
    return base64Of(digest("sha1", bytesOfText(password))) === storedHash.slice("{SHA}".length);
  if (storedHash.startsWith("{PLAIN}")) return password === storedHash.slice("{PLAIN}".length);
  return false;
}

function digest(algorithm: "md5" | "sha1" | "sha256" | "sha512", ...chunks: readonly Bytes[]): Uint8Array<ArrayBuffer> {
  const hash = createHash(algorithm);
  for (const chunk of chunks) hash.update(chunk);
  return new Uint8Array(hash.digest());
}

const letters = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Encodes three bytes as four letters, the lowest bits first. */
function lettersOf(bytes: Bytes, order: readonly (readonly number[])[]): string {
  let text = "";
  for (const places of order) {
    let value = places.reduce((sum, place) => sum * 256 + (place < 0 ? 0 : (bytes[place] ?? 0)), 0);
    const count = Math.ceil((places.filter((place) => place >= 0).length * 8) / 6);
    for (let at = 0; at < count; at++) {
      text += letters[value & 63] ?? "";
      value >>= 6;
    }
  }
  return text;
}

/** Returns `$apr1$salt$…`, as Apache writes it, or `$1$salt$…`. */
export function md5Crypt(password: string, givenSalt: string, id: "apr1" | "1" = "apr1"): string {
  const [word, salt, magic] = [bytesOfText(password), bytesOfText(givenSalt.slice(0, 8)), bytesOfText(`$${id}$`)];
  const inner = digest("md5", word, salt, word);
  const input: Bytes[] = [word, magic, salt];
  for (let left = word.length; left > 0; left -= 16) input.push(inner.subarray(0, Math.min(16, left)));
  for (let bits = word.length; bits > 0; bits >>= 1) input.push(bits & 1 ? new Uint8Array(1) : word.subarray(0, 1));
  let sum = digest("md5", ...input);
  for (let round = 0; round < 1000; round++) {
    const isOdd = round % 2 === 1;
    sum = digest(
      "md5",
      isOdd ? word : sum,
      ...(round % 3 ? [salt] : []),
      ...(round % 7 ? [word] : []),
      isOdd ? sum : word,
    );
  }
  const order = [0, 1, 2, 3, 4].map((at) => [at, at + 6, at === 4 ? 5 : at + 12]);
  return `$${id}$${givenSalt.slice(0, 8)}$${lettersOf(sum, [...order, [-1, -1, 11]])}`;
}

const usualRounds = 5000;
/** The maximum number of rounds, so that a hash does not exceed a visitor's budget. */
const mostRounds = 20_000;

/** Returns `$5$salt$…` with SHA-256, or `$6$salt$…` with SHA-512. */
export function shaCrypt(password: string, givenSalt: string, id: "5" | "6", requestedRounds?: number): string {
  const algorithm = id === "5" ? "sha256" : "sha512";
  const size = id === "5" ? 32 : 64;
  const [word, salt] = [bytesOfText(password), bytesOfText(givenSalt.slice(0, 16))];
  const filledWith = (bytes: Bytes, length: number) => Uint8Array.from({ length }, (_, at) => bytes[at % size] ?? 0);
  const b = digest(algorithm, word, salt, word);
  const input: Bytes[] = [word, salt, filledWith(b, word.length)];
  for (let bits = word.length; bits > 0; bits >>= 1) input.push(bits & 1 ? b : word);
  let sum = digest(algorithm, ...input);
  const p = filledWith(digest(algorithm, ...Array<Bytes>(word.length).fill(word)), word.length);
  const s = filledWith(digest(algorithm, ...Array<Bytes>(16 + (sum[0] ?? 0)).fill(salt)), salt.length);
  const rounds = Math.min(requestedRounds ?? usualRounds, mostRounds);
  for (let round = 0; round < rounds; round++) {
    const isOdd = round % 2 === 1;
    sum = digest(algorithm, isOdd ? p : sum, ...(round % 3 ? [s] : []), ...(round % 7 ? [p] : []), isOdd ? sum : p);
  }
  const roundsPrefix = requestedRounds === undefined ? "" : `rounds=${requestedRounds}$`;
  return `$${id}$${roundsPrefix}${givenSalt.slice(0, 16)}$${lettersOf(sum, id === "5" ? order256 : order512)}`;
}

/** The order in which the published scheme encodes the bytes, three at a time. */
const order256 = [
  ...Array.from({ length: 10 }, (_, at) => {
    const three = [at, (at + 10) % 30, (at + 20) % 30].map((index) => index);
    const turn = at % 3;
    return turn === 0
      ? three
      : turn === 1
        ? [three[2] ?? 0, three[0] ?? 0, three[1] ?? 0]
        : [three[1] ?? 0, three[2] ?? 0, three[0] ?? 0];
  }),
  [-1, 31, 30],
];
const order512 = [
  ...Array.from({ length: 21 }, (_, at) => {
    const three = [at, at + 21, at + 42];
    const turn = at % 3;
    return turn === 0
      ? three
      : turn === 1
        ? [three[1] ?? 0, three[2] ?? 0, three[0] ?? 0]
        : [three[2] ?? 0, three[0] ?? 0, three[1] ?? 0];
  }),
  [-1, -1, 63],
];
