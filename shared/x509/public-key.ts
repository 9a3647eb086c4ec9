// The numbers of RSA public keys.
import { SubjectPublicKeyInfo } from "@peculiar/asn1-x509";
import { fromBER, Integer, Sequence } from "asn1js";
import { readDer } from "./der.ts";

const rsaEncryption = "1.2.840.113549.1.1.1";

export interface RsaNumbers {
  readonly modulus: Uint8Array;
  readonly exponent: number;
}

/** Returns the numbers of an RSA key; undefined for a key of another kind. */
export function rsaNumbersOf(spki: Uint8Array): RsaNumbers | undefined {
  const info = readDer(spki, SubjectPublicKeyInfo);
  if (info?.algorithm.algorithm !== rsaEncryption) return undefined;
  const { offset, result } = fromBER(info.subjectPublicKey);
  if (offset < 0 || !(result instanceof Sequence)) return undefined;
  const [modulus, exponent] = result.valueBlock.value;
  if (!(modulus instanceof Integer) || !(exponent instanceof Integer)) return undefined;
  return { modulus: withoutZero(modulus), exponent: Number(exponent.toBigInt()) };
}

/** Removes the zero byte that keeps a number of DER positive. */
function withoutZero(integer: Integer): Uint8Array {
  const bytes = integer.valueBlock.valueHexView;
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
}
