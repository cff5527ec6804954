/** The version of package.json (a test compares them). It is sent in `User-Agent: spile/<version>` (contract C-3.6). */
export const version = "0.3.0";
