import { clientFor } from "./client.ts";

/** Prints the body of an address. Tests run this script as a process if they need another environment. */
const [url = "", authority = ""] = process.argv.slice(2);
using client = clientFor(url, authority === "" ? {} : { caCertificate: authority });
process.stdout.write(await client.page(url));
