import { Server } from "node:http";

/*
 * Runs before a server's script, in the same process. The process that started the server can hold back one HTTP request: the
 * message {"hold": 6} holds back the sixth request from then on, and is answered with "held" when that request has come; {"hold":
 * null} releases it.
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
