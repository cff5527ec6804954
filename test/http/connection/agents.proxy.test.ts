import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { generate } from "selfsigned";
import { SpileError } from "../../../src/core/errors.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { createAgents } from "../../../src/http/connection/agents.ts";
import { redirect, startApi } from "../../helpers/api.ts";
import { bodyText, clientFor } from "../client.ts";

const host = "api.example";
const keyPair = await generate([{ name: "commonName", value: host }], {
  extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: host }] }],
});

/** Starts a proxy that records the head of the first request of each connection, and passes everything on to `port`. */
async function startProxy(port: number) {
  const lines: string[] = [];
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", (data: Buffer) => {
      const head = data.toString("latin1");
      lines.push(head.split("\r\n", 1)[0] ?? "");
      heads.push(head);
      const onward = connect(port, "127.0.0.1");
      sockets.add(onward);
      onward.on("error", () => socket.destroy());
      if (head.startsWith("CONNECT ")) socket.write("HTTP/1.1 200 OK\r\n\r\n");
      else onward.write(data);
      socket.pipe(onward).pipe(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { url: `http://user:pass%40word@127.0.0.1:${address.port}`, lines, heads, [Symbol.asyncDispose]: close };
}

const names = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "ALL_PROXY",
  "all_proxy",
];

/** Runs `body` with these variables, and without other variables for proxies. */
async function withEnvironment(variables: Record<string, string>, body: () => Promise<void>): Promise<void> {
  const before = new Map(names.map((name) => [name, process.env[name]]));
  for (const name of names) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    await body();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

for (const name of ["HTTP_PROXY", "http_proxy"]) {
  test(`${name}: requests go through the proxy with its credentials, which are masked`, async () => {
    await using api = await startApi(() => 1);
    await using proxy = await startProxy(api.port);
    await withEnvironment({ [name]: proxy.url }, async () => {
      using client = clientFor(api.url);
      assert.equal(await client.page("x?a=1", { headers: [["X-Name", "v"]] }), "1");
      assert.equal(client.secrets.mask("pass@word"), "***");
    });
    assert.deepEqual(proxy.lines, [`GET ${api.url}/x?a=1 HTTP/1.1`]);
    assert.match(proxy.heads[0] ?? "", /proxy-authorization: basic dXNlcjpwYXNzQHdvcmQ=/i);
    assert.equal(api.log[0]?.headers["x-name"], "v");
  });
}

test("HTTPS_PROXY: requests go through a tunnel, and api.caCertificate verifies the server", async () => {
  await using api = await startApi(() => 1, { tls: { key: keyPair.private, cert: keyPair.cert } });
  await using proxy = await startProxy(api.port);
  await withEnvironment({ HTTPS_PROXY: proxy.url, HTTP_PROXY: "" }, async () => {
    using client = clientFor(`https://${host}`, { caCertificate: keyPair.cert });
    assert.equal(await client.page("x"), "1");
    assert.equal(await client.page("y"), "1");
  });
  assert.deepEqual(proxy.lines, [`CONNECT ${host}:443 HTTP/1.1`]);
});

test("through a tunnel, the certificate is compared with the requested host, even if the host is an IP address", async () => {
  for (const [alternative, message] of [
    [{ type: 7 as const, ip: "127.0.0.1" }, undefined],
    // Node compares the certificate with this host if it is given no other.
    [{ type: 2 as const, value: "localhost" }, /ERR_TLS_CERT_ALTNAME_INVALID/],
  ] as const) {
    const extensions = [{ name: "subjectAltName" as const, altNames: [alternative] }];
    const { private: key, cert } = await generate([{ name: "commonName", value: "x" }], { extensions });
    await using api = await startApi(() => 1, { tls: { key, cert } });
    await using proxy = await startProxy(api.port);
    await withEnvironment({ HTTPS_PROXY: proxy.url }, async () => {
      using client = clientFor(api.url, { caCertificate: cert, retry: { maxRetries: 0 } });
      if (message === undefined) assert.equal(await client.page("x"), "1");
      else await assert.rejects(client.page("x"), message);
    });
    assert.equal(proxy.lines.length, 1);
  }
});

test("an http address on the host of a trusted https origin is requested by https, in next pages and redirects", async () => {
  await using api = await startApi(
    {
      "/x": () => redirect(`http://${host}/y?page=2`),
      "*": () => 1,
    },
    { tls: { key: keyPair.private, cert: keyPair.cert } },
  );
  await using proxy = await startProxy(api.port);
  await withEnvironment({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }, async () => {
    using client = clientFor(`https://${host}`, { caCertificate: keyPair.cert });
    const parts = { headers: [["X-Key", "k"]] as [string, string][] };
    for (const address of [`http://${host}/next`, "x"]) {
      const answer = await client.exchange(address, parts).open();
      assert.equal(await bodyText(answer.body), "1");
      assert.match(answer.url, /^https:/);
    }
    const previewed = await client.session.preview(client.request(`http://${host}/z`, parts), {
      signal: client.abort.signal,
      authenticator: undefined,
      sendLogin: false,
    });
    assert.deepEqual([previewed.request.url, previewed.request.headers.has("x-key")], [`https://${host}/z`, true]);
    assert.deepEqual(client.messages("warning"), []);
  });
  assert.deepEqual(api.targets(), ["/next", "/x", "/y?page=2"]);
  for (const { headers } of api.log) assert.equal(headers["x-key"], "k");
  assert.deepEqual(proxy.lines, [`CONNECT ${host}:443 HTTP/1.1`]);
});

test("an http address with another port, or with a trusted http origin, is requested by http", async () => {
  await using api = await startApi(() => 1);
  await using proxy = await startProxy(api.port);
  await withEnvironment({ HTTP_PROXY: proxy.url }, async () => {
    using client = clientFor(`https://${host}`, {
      trusted: [`https://${host}`, "https://two.example", "http://two.example"],
    });
    const headers: [string, string][] = [["X-Key", "k"]];
    await client.page(`http://${host}:8080/x`, { headers });
    await client.page("http://two.example/y", { headers });
    assert.match(
      client.messages("warning").join("|"),
      new RegExp(`^http://${host}:8080 is not a trusted origin[^|]*$`),
    );
  });
  assert.deepEqual(
    api.log.map(({ target, headers }) => [target, headers["x-key"]]),
    [
      [`http://${host}:8080/x`, undefined],
      ["http://two.example/y", "k"],
    ],
  );
});

/** Starts a proxy that answers the first request of each connection with `answer`, and counts the bytes that it sends. */
async function startAnsweringProxy(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const ends: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    ends.push(once(socket, "close"));
    socket.on("error", () => socket.destroy());
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  const sent = (): number => [...sockets].reduce((all, { bytesWritten }) => all + bytesWritten, 0);
  /** Waits until all of the connections, `count` in number, are closed. */
  const closed = async (count: number): Promise<void> => {
    await Promise.all(ends);
    assert.equal(ends.length, count);
  };
  return { url: `http://127.0.0.1:${port}`, sent, closed, [Symbol.asyncDispose]: close };
}

test("an endless head of a proxy's answer is refused before it fills the memory", async () => {
  const line = `X-Header: ${"x".repeat(1000)}\r\n`;
  // 1 GB: more than a test may take in memory.
  await using proxy = await startAnsweringProxy(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    for (let count = 0; count < 1e6 && !socket.destroyed; count += 1) {
      if (!socket.write(line)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
  });
  await withEnvironment({ HTTPS_PROXY: proxy.url }, async () => {
    using client = clientFor(`https://${host}`, { retry: { maxRetries: 0 } });
    await assert.rejects(client.page("x"), /the answer of the proxy has headers that are too long/);
  });
  // The buffers of the system take some bytes in addition to those that are read.
  assert.ok(proxy.sent() < 50e6, `${proxy.sent()} bytes`);
});

test("a proxy that opens no tunnel is reported, and its answer is not taken for the API's", async () => {
  for (const [head, kind, message] of [
    [
      "407 Proxy Authentication Required",
      "refused",
      /the proxy 127.0.0.1:[0-9]+ answered 407 Proxy Authentication Required/,
    ],
    ["404 Not Found", "refused", /the proxy 127.0.0.1:[0-9]+ answered 404 Not Found/],
    ["503 Busy", "temporary", /the proxy 127.0.0.1:[0-9]+ answered 503 Busy/],
    ["garbage", "temporary", /the answer of the proxy is not HTTP/],
  ] as const) {
    const text = head === "garbage" ? "garbage" : `HTTP/1.1 ${head}\r\nContent-Length: 2\r\n\r\n[]`;
    await using proxy = await startAnsweringProxy((socket) => socket.write(text));
    await withEnvironment({ HTTPS_PROXY: proxy.url }, async () => {
      using client = clientFor(`https://${host}`, { retry: { maxRetries: 0 }, ignoreErrors: [404] });
      await assert.rejects(client.page("x"), (error) => {
        assert.ok(error instanceof SpileError);
        assert.match(error.message, message);
        return error.kind === kind;
      });
    });
  }
});

for (const [title, variable, address, says, answer] of [
  ["no tunnel", "HTTPS_PROXY", `https://${host}`, "connection", () => undefined],
  [
    "no TLS in the tunnel",
    "HTTPS_PROXY",
    `https://${host}`,
    "connection",
    (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"),
  ],
  ["no answer", "HTTP_PROXY", `http://${host}`, "response", () => undefined],
] as const) {
  test(`a silent proxy is reported, and its connections are closed: ${title}`, async () => {
    await using proxy = await startAnsweringProxy(answer);
    await withEnvironment({ [variable]: proxy.url }, async () => {
      const timeouts = { connect: 0.1, request: says === "response" ? 0.1 : 30 };
      using client = clientFor(address, { retry: { maxRetries: 2 }, timeouts });
      await assert.rejects(client.page("x"), (error) => {
        assert.ok(error instanceof SpileError);
        assert.match(error.message, new RegExp(`no ${says} within 0.1 s through the proxy 127.0.0.1:[0-9]+; given up`));
        return error.kind === "temporary";
      });
      // The client is still open.
      await proxy.closed(3);
    });
  });
}

test("a tunnel that continues with bytes other than TLS is refused", async () => {
  await using proxy = await startAnsweringProxy((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nno TLS at all"));
  await withEnvironment({ HTTPS_PROXY: proxy.url }, async () => {
    using client = clientFor(`https://${host}`, { retry: { maxRetries: 0 } });
    await assert.rejects(client.page("x"), (error) => {
      assert.ok(error instanceof SpileError);
      assert.equal(error.kind, "refused", error.message);
      assert.match(error.message, /does not use TLS/);
      return true;
    });
  });
});

test("a bare % in the proxy's password is a configuration error", async () => {
  await withEnvironment({ HTTP_PROXY: "http://user:100%@127.0.0.1:1" }, async () => {
    using client = clientFor("http://127.0.0.1:2");
    const exchange = client.exchange("x");
    await assert.rejects(exchange.open(), (error) => {
      assert.ok(error instanceof SpileError);
      return error.kind === "configuration" && /write it as %25/.test(error.message) && !error.message.includes("100");
    });
  });
});

test("NO_PROXY and an empty value mean a direct connection", async () => {
  await using api = await startApi(() => 1);
  await using proxy = await startProxy(api.port);
  for (const variables of [{ HTTP_PROXY: proxy.url, NO_PROXY: "example.com,127.0.0.1" }, { HTTP_PROXY: "" }]) {
    await withEnvironment(variables, async () => {
      using client = clientFor(api.url);
      assert.equal(await client.page("x"), "1");
    });
  }
  assert.deepEqual(proxy.lines, []);
});

test("NO_PROXY may have an IPv6 address with brackets or without", async () => {
  for (const hosts of ["::1", "[::1]", "example.com, ::1", "*"]) {
    const agents = createAgents({}, new Secrets(), { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: hosts });
    const direct = await agents.find("http://[::1]:8080/x");
    assert.equal(direct.constructor.name, "Agent", hosts);
    agents.close();
  }
});

test("a proxy whose address cannot be read is a configuration error that shows no part of it", async () => {
  for (const proxy of [
    "socks5://user:hidden@127.0.0.1:1",
    "user:hidden",
    "user:hid@hidden",
    "user:12/hidden@127.0.0.1:1",
    "http://12?hidden@127.0.0.1:1",
    "http://user:12#hidden@127.0.0.1:1",
    "http:/user:hidden@127.0.0.1:1",
    "http://user:hidden@127.0.0.1:99999",
    "http://user:hidden",
  ]) {
    for (const scheme of ["http", "https"]) {
      await withEnvironment({ [`${scheme.toUpperCase()}_PROXY`]: proxy }, async () => {
        using client = clientFor(`${scheme}://127.0.0.1:1`);
        await assert.rejects(client.page("x"), (error) => {
          assert.ok(error instanceof SpileError);
          assert.match(
            error.message,
            /the proxy from the environment \(.*\) is not an http\(s\) address such as/,
            proxy,
          );
          assert.doesNotMatch(error.message, /hid|12[^8]|user:[^p]/, proxy);
          return error.kind === "configuration";
        });
      });
    }
  }
});

test("a proxy needs no scheme, its password may have an @, and white space around its address is ignored", async () => {
  await using api = await startApi(() => 1);
  await using proxy = await startProxy(api.port);
  const withoutScheme = proxy.url.replace("http://", "");
  for (const address of [withoutScheme, withoutScheme.replace("%40", "@"), `${withoutScheme}\n`, ` ${proxy.url}`]) {
    await withEnvironment({ HTTP_PROXY: address }, async () => {
      using client = clientFor(api.url);
      assert.equal(await client.page("x"), "1", address);
    });
  }
});

test("the error about an unknown host names the proxy", async () => {
  for (const scheme of ["http", "https"]) {
    await withEnvironment({ [`${scheme.toUpperCase()}_PROXY`]: "http://proxy.invalid:3128" }, async () => {
      using client = clientFor(`${scheme}://api.invalid`);
      await assert.rejects(client.page("x"), /(no such host|cannot be looked up now) \(proxy\.invalid\)/);
    });
  }
});

test("the error about a refused connection names the proxy's address", async () => {
  await withEnvironment({ HTTP_PROXY: "http://127.0.0.1:1" }, async () => {
    using client = clientFor("http://127.0.0.1:2");
    await assert.rejects(client.page("x"), /connection was refused \(127.0.0.1:1\)/);
  });
});
