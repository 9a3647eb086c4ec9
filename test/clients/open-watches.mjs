// A client that opens watches, says so on its output, and reads them until it is killed.
import { get } from "node:http";

const [url, token, count, query] = process.argv.slice(2);
let open = 0;
for (let at = 0; at < Number(count); at++) {
  get(
    `${url}/api/v1/namespaces/default/configmaps?watch=1${query}`,
    { agent: false, headers: { authorization: `Bearer ${token}` } },
    (answer) => {
      if (answer.statusCode !== 200) process.exit(1);
      answer.resume();
      if (++open === Number(count)) process.stdout.write("open\n");
    },
  );
}
