import { Server } from "node:http";

/*
 * Runs before a server's script, in its process: of the HTTP requests that come to it, one can be held back, as long as whoever
 * started it likes. {"hold": 6} holds the sixth from then on and says "held" when it is there; {"hold": null} lets it go.
 */
const emit = Server.prototype.emit;
let left = Number.POSITIVE_INFINITY;
let letGo = () => undefined;

Server.prototype.emit = function (event, ...details) {
  const pass = () => emit.call(this, event, ...details);
  if (event !== "request") return pass();
  left -= 1;
  if (left !== 0) return pass();
  letGo = pass;
  process.send("held");
  return true;
};

process.on("message", ({ hold }) => {
  left = hold ?? Number.POSITIVE_INFINITY;
  letGo();
  letGo = () => undefined;
});
process.on("disconnect", () => process.exit());
