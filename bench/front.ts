// `node bench/front.ts <https port> <http port> <folder>`: the local https address before a plain port, in a process of its own, so that
// what TLS costs is counted beside workerd. Says when it listens, and ends with its standard input.
import { certificateHeader, openFront } from "../scripts/local/front.ts";
import { localCertificate } from "../scripts/local/certificate.ts";
import { host } from "../scripts/local/settings.ts";

const [httpsPort, httpPort, folder = ""] = process.argv.slice(2);
const certificate = localCertificate(folder, Date.now());
const ports = { httpsPort: Number(httpsPort), httpPort: 0, workerPort: () => Number(httpPort) };
await openFront({ certificate, header: certificateHeader(), listen: host, httpListen: host, ...ports });
console.log("listening");
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
