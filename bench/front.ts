// `node bench/front.ts <https port> <http port> <folder>`: the local https address of a plain port, in a separate process, so that the cost
// of TLS is counted apart from workerd's. Prints a line when it listens, and ends with its standard input.
import { certificateHeader, openFront } from "../scripts/local/front.ts";
import { localCertificate } from "../scripts/local/certificate.ts";
import { host } from "../scripts/local/settings.ts";

const [httpsPort, httpPort, folder = ""] = process.argv.slice(2);
const certificate = localCertificate(folder, Date.now());
const ports = { httpsPort: Number(httpsPort), httpPort: 0, portFor: () => Number(httpPort) };
await openFront({ certificate, header: certificateHeader(), listen: host, httpListen: host, ...ports });
console.log("listening");
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
