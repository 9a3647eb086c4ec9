// nginx's TLS certificates, from the file that a server block names.
import type { ShownCertificate } from "../../../../shared/k8s/port-request.ts";
import { certificateOfPem } from "../../network/certificates.ts";
import type { Files } from "../../shell/files.ts";
import type { Directive } from "./parse-config.ts";
import { inheritedDirective } from "./configuration.ts";

export function certificatePath(server: Directive, http: readonly Directive[], name: string): string | undefined {
  const path = inheritedDirective([server.body ?? [], http], name)?.args[0];
  return path === undefined || path.startsWith("/") ? path : `/etc/nginx/${path}`;
}

export function shownCertificate(
  files: Files,
  server: Directive,
  http: readonly Directive[],
): ShownCertificate | undefined {
  const path = certificatePath(server, http, "ssl_certificate");
  return path === undefined ? undefined : certificateOfPem(files.get(path)?.text ?? "");
}
