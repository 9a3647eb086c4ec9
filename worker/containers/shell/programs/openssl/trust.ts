// Checks whether openssl trusts a certificate from a file or from a server.
import type { Task } from "../../../../../shared/shell/task.ts";
import { Buffer } from "node:buffer";
import { createPublicKey, verify as isSignature } from "node:crypto";
import { type ReadCertificate, readCertificate } from "../../../../../shared/x509/certificate.ts";
import { pemBlocks, pemText } from "../../../../../shared/x509/pem.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import type { ProgramCall } from "../../program.ts";
import { open } from "../connection.ts";
import { type OpensslArguments, certificateIn, notRead, textOf } from "./arguments.ts";
import { subjectText } from "../../../../../shared/x509/subjects.ts";
import { dateText } from "../../../../../shared/x509/text.ts";

/** The work of checking a signature. */
const checkWork = 200;

export function* verify(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const file = parsedArgs.value("CAfile");
  const trusted = pemBlocks(file === undefined ? "" : ((yield* textOf(call, file)) ?? "")).flatMap(
    ({ bytes }) => readCertificate(bytes) ?? [],
  );
  if (file !== undefined && trusted.length === 0) return notRead(call, "certificate", file);
  let code = 0;
  for (const name of parsedArgs.rest) {
    const certificate = certificateIn((yield* textOf(call, name)) ?? "");
    const read = certificate && readCertificate(certificate.der);
    if (!certificate || !read) return notRead(call, "certificate file", name) + 1;
    const problem = problemOf(read, trusted, call.process.clockMs);
    charge(call.process, checkWork);
    if (problem === undefined) {
      call.out(`${name}: OK\n`);
      continue;
    }
    call.err(
      `${subjectText(certificate.certificate.tbsCertificate.subject)}\nerror ${problem[0]} at 0 depth lookup: ${problem[1]}\nerror ${name}: verification failed\n`,
    );
    code = 2;
  }
  return code;
}

/** Returns why a certificate is not trusted, with openssl's number; undefined if it is trusted. */
function problemOf(
  read: ReadCertificate,
  trusted: readonly ReadCertificate[],
  nowMs: number,
): readonly [number, string] | undefined {
  const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);
  const issuer = trusted.find((authority) => isSame(authority.subject, read.issuer));
  if (!issuer)
    return isSame(read.subject, read.issuer)
      ? [18, "self-signed certificate"]
      : [20, "unable to get local issuer certificate"];
  if (!isSignedBy(read, issuer)) return [7, "certificate signature failure"];
  if (nowMs < read.notBeforeMs) return [9, "certificate is not yet valid"];
  return nowMs > read.notAfterMs ? [10, "certificate has expired"] : undefined;
}

function isSignedBy({ signed, signature }: ReadCertificate, { publicKey }: ReadCertificate): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
    return isSignature("sha256", signed, key, signature);
  } catch {
    return false;
  }
}

const patienceMs = 133_000;

/** Prints a server's certificate, and whether it is trusted. The request appears in that server's log. */
export function* client(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const { out, err, process } = call;
  const [, host = "", port = "443"] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(parsedArgs.value("connect") ?? parsedArgs.rest[0] ?? "") ?? [];
  const serverName = parsedArgs.value("servername") ?? (/^[\d.:]+$/.test(host) ? undefined : host);
  const request = {
    method: "GET",
    path: "/",
    headers: [["Host", host] as const],
    body: "",
    isTls: true,
    ...(serverName === undefined ? {} : { serverName }),
  };
  const opened = yield* open(process, { host, port: Number(port), request, limitMs: patienceMs });
  if (process.paused) return 1;
  if (opened.reached.kind === "unresolved") {
    err(`BIO_lookup_ex:Name or service not known\nconnect:errno=22\n`);
    return 1;
  }
  if (!["answered", "open", "outside"].includes(opened.reached.kind)) {
    err("connect:errno=111\n");
    return 1;
  }
  out("CONNECTED(00000003)\n");
  const serverCertificate = opened.reached.answer?.certificate;
  const parsedCertificate = serverCertificate && certificateIn(serverCertificate.pem);
  if (!parsedCertificate) {
    err("error:0A00010B:SSL routines:tls_validate_record_header:wrong version number\n");
    out("---\nno peer certificate available\n---\nNo client certificate CA names sent\n---\n");
    return 1;
  }
  const { certificate, der } = parsedCertificate;
  const { subject, issuer, validity } = certificate.tbsCertificate;
  const file = parsedArgs.value("CAfile");
  const trusted = pemBlocks(file === undefined ? "" : ((yield* textOf(call, file)) ?? "")).flatMap(
    ({ bytes }) => readCertificate(bytes) ?? [],
  );
  const read = readCertificate(der);
  const problem = read && problemOf(read, trusted, process.clockMs);
  err(
    `depth=0 ${subjectText(subject)}\n${problem ? `verify error:num=${problem[0]}:${problem[1]}\n` : ""}verify return:1\n`,
  );
  out(
    [
      "---\nCertificate chain\n",
      ` 0 s:${subjectText(subject)}\n   i:${subjectText(issuer)}\n`,
      `   v:NotBefore: ${dateText(validity.notBefore.getTime().getTime())}; NotAfter: ${dateText(validity.notAfter.getTime().getTime())}\n`,
      `---\nServer certificate\n${pemText("CERTIFICATE", der)}subject=${subjectText(subject)}\nissuer=${subjectText(issuer)}\n---\n`,
      "No client certificate CA names sent\nPeer signing digest: SHA256\nPeer signature type: RSA-PSS\nServer Temp Key: X25519, 253 bits\n---\n",
      `New, TLSv1.3, Cipher is TLS_AES_256_GCM_SHA384\nVerify return code: ${problem ? `${problem[0]} (${problem[1]})` : "0 (ok)"}\n---\n`,
    ].join(""),
  );
  err("DONE\n");
  return 0;
}
