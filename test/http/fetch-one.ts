import { clientFor } from "./client.ts";

/** Run as a process of its own by tests that need another environment: prints the body of an address. */
const [url = "", authority = ""] = process.argv.slice(2);
using client = clientFor(url, authority === "" ? {} : { caCertificate: authority });
process.stdout.write(await client.page(url));
