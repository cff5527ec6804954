/** The version, as in package.json (a test keeps them equal); sent in `User-Agent: spile/<version>` (contract C-3.6). */
export const version = "0.2.0";
