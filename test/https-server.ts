// An https server with its own authority, as a webhook or an aggregated API of a sandbox.
import { webcrypto } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A status, further headers and a body, or a function that writes the answer. Undefined: the server never answers. */
export type Say = (
  heard: Heard,
) =>
  | { status?: number; headers?: Record<string, string>; body: string }
  | { take(response: ServerResponse): void }
  | undefined;

export interface HttpsServer {
  readonly port: number;
  /** The root of its certificate chain, as PEM in base64. */
  readonly caBundle: string;
  /** The authority below the root, which signed its certificate. */
  readonly intermediate: string;
  /** Its own certificate. */
  readonly certificate: string;
  readonly heard: readonly Heard[];
  close(): Promise<void>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 24 * 3600 * 1000;

/** Starts a server whose certificate has these names. It sends its intermediate certificate as well unless `alone` is set. */
export async function httpsServer(
  names: readonly string[],
  say: Say,
  sent: "chain" | "alone" = "chain",
): Promise<HttpsServer> {
  const { root, intermediate, key, certificate } = await certificateFor(names);
  const heard: Heard[] = [];
  const cert = sent === "chain" ? certificate + intermediate : certificate;
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers, rawHeaders } = request;
      const heardRequest = { method, path, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
      heard.push(heardRequest);
      const answer = say(heardRequest);
      if (!answer) return;
      if ("take" in answer) return answer.take(response);
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body);
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    // A server that listens on a port has an address.
    port: (server.address() as AddressInfo).port,
    caBundle: btoa(root),
    intermediate: btoa(intermediate),
    certificate: btoa(certificate),
    heard,
    close: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      return closed.promise;
    },
  };
}

async function certificateFor(names: readonly string[]) {
  x509.cryptoProvider.set(webcrypto);
  const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [rootKeys, intermediateKeys, keys] = [await newKeys(), await newKeys(), await newKeys()];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=an authority of a test",
    ...validity,
    keys: rootKeys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const intermediate = await x509.X509CertificateGenerator.create({
    serialNumber: "02",
    subject: "CN=an intermediate of a test",
    issuer: root.subject,
    ...validity,
    publicKey: intermediateKeys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const isAddress = (name: string) => /^[\d.]+$/.test(name);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "03",
    subject: "CN=a server of a test",
    issuer: intermediate.subject,
    ...validity,
    publicKey: keys.publicKey,
    signingKey: intermediateKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isAddress(value) ? ("ip" as const) : ("dns" as const), value })),
      ),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  const pem = (certificateToEncode: x509.X509Certificate) => `${certificateToEncode.toString("pem")}\n`;
  return { root: pem(root), intermediate: pem(intermediate), certificate: pem(certificate), key };
}
