import type { Plugin } from "esbuild";

/**
 * yargs comes with copies of string-width, whose segmenters and patterns of emoji take 20 ms to load. They are for help
 * that yargs lays out; ours is laid out elsewhere.
 */
export const plainStringWidth: Plugin = {
  name: "plain-string-width",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.(cliui|yargs|wrap-ansi).*node_modules.string-width.index\.js$/ }, () => ({
      contents: "export default (text) => text.length",
    })),
};

/** For versions of Node without web streams. */
export const noStreamsPolyfill: Plugin = {
  name: "no-streams-polyfill",
  setup: ({ onLoad }) => onLoad({ filter: /node_modules.web-streams-polyfill./ }, () => ({ contents: "" })),
};

/** Kerberos at proxies asks for a package that nobody has installed, which bundlers of the library complain of; nothing here asks for it. */
export const noNegotiate: Plugin = {
  name: "no-negotiate",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.proxy-agent-negotiate./ }, () => ({
      contents: "export const createNegotiateAuth = () => undefined",
    })),
};
