/** A curl command as a tool copies it, and the request that spile sends for it. */
export interface CopiedCommand {
  /** The tool, and the purpose of the command. */
  readonly from: string;
  /** The command; `https://api.example.com` is replaced by the server's address. */
  readonly command: string;
  /** Request line, headers that come from the command and, if there is a body, an empty line and the body. */
  readonly request: string;
  /** Headers of the command that spile leaves out with a note. */
  readonly leftOut?: readonly string[];
  /** Words of a note that reports another difference from curl. */
  readonly notes?: RegExp;
  /** The shell, if it is not bash. */
  readonly shell?: "cmd" | "powershell";
  /** Present if bash reads the escapes differently from the browser. */
  readonly escapes?: "of the browser";
}

const chrome = [
  `-H 'accept: application/json, text/plain, */*'`,
  `-H 'accept-language: en-US,en;q=0.9'`,
  `-H 'cache-control: no-cache'`,
  `-H 'origin: https://app.example.com'`,
  `-H 'priority: u=1, i'`,
  `-H 'referer: https://app.example.com/'`,
  `-H 'sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"'`,
  `-H 'sec-ch-ua-mobile: ?0'`,
  `-H 'sec-fetch-mode: cors'`,
  `-H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0'`,
].join(" \\\n  ");
const sentByChrome = `accept: application/json, text/plain, */*
accept-language: en-US,en;q=0.9
origin: https://app.example.com
referer: https://app.example.com/
user-agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0`;
const leftByChrome = ["cache-control", "priority", "sec-ch-ua", "sec-ch-ua-mobile", "sec-fetch-mode"];

const firefox = `--compressed -H 'User-Agent: Mozilla/5.0 (rv:132.0) Firefox/132.0' -H 'Accept: */*' -H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'Connection: keep-alive' -H 'Sec-Fetch-Mode: cors'`;
const sentByFirefox = "accept: */*\nuser-agent: Mozilla/5.0 (rv:132.0) Firefox/132.0";

export const copiedCommands: readonly CopiedCommand[] = [
  {
    from: "Chrome, bash: a list",
    command: `curl 'https://api.example.com/api/users?page=1&size=10' \\\n  ${chrome} \\\n  --compressed`,
    request: `GET /api/users?page=1&size=10\n${sentByChrome}`,
    leftOut: leftByChrome,
  },
  {
    from: "Chrome, bash: cookies",
    command: `curl 'https://api.example.com/api/me' \\\n  -H 'accept: */*' \\\n  -b '_ga=GA1.2.3; sid=s%3Aabc; theme=dark' \\\n  -H 'dnt: 1'`,
    request: "GET /api/me\naccept: */*\ncookie: _ga=GA1.2.3; sid=s%3Aabc; theme=dark",
    leftOut: ["dnt"],
  },
  {
    from: "Chrome, bash: brackets of a query",
    command: `curl 'https://api.example.com/api/users?filter\\[kind\\]=a&page\\[size\\]=10&q=\\{x\\}'`,
    request: "GET /api/users?filter[kind]=a&q={x}&page%5Bsize%5D=10",
    notes: /percent-encoding: "page\[size\]" of the query/,
  },
  {
    from: "Chrome, bash: a JSON body",
    command: `curl 'https://api.example.com/api/search' \\\n  -H 'content-type: application/json' \\\n  --data-raw '{"query":"a b","filter":{"ids":[1,2]},"size":50,"n":1.10}'`,
    request:
      'POST /api/search\ncontent-type: application/json\n\n{"query":"a b","filter":{"ids":[1,2]},"size":50,"n":1.10}',
  },
  {
    from: "Chrome, bash: a body with quotes, an exclamation mark and other letters",
    escapes: "of the browser",
    command: `curl 'https://api.example.com/api/search' \\\n  -H 'content-type: application/json' \\\n  --data-raw $'{"q":"it\\'s \\u0021 caf\\xe9 \\ud83d\\ude00\\\\n"}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"it\'s ! café 😀\\n"}',
  },
  {
    from: "Chrome, bash: a form",
    command: `curl 'https://api.example.com/api/search' \\\n  -H 'content-type: application/x-www-form-urlencoded; charset=UTF-8' \\\n  -H 'x-requested-with: XMLHttpRequest' \\\n  --data-raw 'q=a+b&page=1&tags%5B%5D=x&tags%5B%5D=y'`,
    request:
      "POST /api/search\ncontent-type: application/x-www-form-urlencoded\nx-requested-with: XMLHttpRequest\n\nq=a%20b&page=1&tags%5B%5D=x&tags%5B%5D=y",
    notes: /percent-encoding: "q" of the form/,
  },
  {
    from: "Chrome, bash: GraphQL",
    command: `curl 'https://api.example.com/graphql' \\\n  -H 'content-type: application/json' \\\n  --data-raw $'{"operationName":"Users","variables":{"first":10},"query":"query Users($first: Int\\u0021) {\\\\n  users(first: $first) {\\\\n    id\\\\n  }\\\\n}\\\\n"}'`,
    request:
      'POST /graphql\ncontent-type: application/json\n\n{"operationName":"Users","variables":{"first":10},"query":"query Users($first: Int!) {\\n  users(first: $first) {\\n    id\\n  }\\n}\\n"}',
  },
  {
    from: "Chrome, bash: a bearer token",
    command: `curl 'https://api.example.com/v1/items?limit=50&offset=0' \\\n  -H 'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.sig_-x'`,
    request: "GET /v1/items?limit=50&offset=0\nauthorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.sig_-x",
  },
  {
    from: "Chrome, bash: an answer that is only wanted if it has changed",
    command: `curl 'https://api.example.com/v1/items' \\\n  -H 'if-none-match: W/"abc"' \\\n  -H 'if-modified-since: Sun, 29 Nov 2026 08:00:00 GMT'`,
    request: "GET /v1/items",
    leftOut: ["if-none-match", "if-modified-since"],
  },
  {
    from: "Chrome, bash: an empty header, and a header with a comma",
    command: `curl 'https://api.example.com/v1/items' \\\n  -H 'x-empty;' \\\n  -H 'x-tenant: a, b'`,
    request: "GET /v1/items\nx-empty: \nx-tenant: a, b",
  },
  {
    from: "Chrome, cmd: a list",
    shell: "cmd",
    command: `curl ^"https://api.example.com/api/users?page=1^&size=10^" ^\r\n  -H ^"accept: application/json^" ^\r\n  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"130^\\^"^" ^\r\n  -H ^"user-agent: Mozilla/5.0 (Windows NT 10.0)^"`,
    request: "GET /api/users?page=1&size=10\naccept: application/json\nuser-agent: Mozilla/5.0 (Windows NT 10.0)",
    leftOut: ["sec-ch-ua"],
  },
  {
    from: "Chrome, cmd: a JSON body",
    shell: "cmd",
    command: `curl ^"https://api.example.com/api/search^" ^\r\n  -H ^"content-type: application/json^" ^\r\n  --data-raw ^"^{^\\^"q^\\^":^\\^"50^% ^& more^\\^",^\\^"size^\\^":10^}^"`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"50% & more","size":10}',
  },
  {
    from: "Chrome, cmd: percent signs of an address",
    shell: "cmd",
    command: `curl ^"https://api.example.com/api/users?q=a^%^20b^&tags=x^%^2Cy^" ^\r\n  -H ^"accept: */*^"`,
    request: "GET /api/users?q=a%20b&tags=x%2Cy\naccept: */*",
  },
  {
    from: "Chrome, cmd, older: plain quotes",
    shell: "cmd",
    command: `curl "https://api.example.com/api/users?page=1^&size=10" ^\r\n  -H "accept: application/json" ^\r\n  --compressed`,
    request: "GET /api/users?page=1&size=10\naccept: application/json",
  },
  {
    from: "Edge, bash: a path with a space and other letters",
    command: `curl 'https://api.example.com/files/a%20b/caf%C3%A9?sort=name,desc' -H 'accept: */*'`,
    request: "GET /files/a%20b/caf%C3%A9?sort=name,desc\naccept: */*",
  },
  {
    from: "Firefox, POSIX: a list",
    command: `curl 'https://api.example.com/api/users?page=1&size=10' ${firefox}`,
    request: `GET /api/users?page=1&size=10\n${sentByFirefox}`,
    leftOut: ["sec-fetch-mode"],
  },
  {
    from: "Firefox, POSIX: cookies in a header",
    command: `curl 'https://api.example.com/api/me' ${firefox} -H 'Cookie: sid=abc; theme=dark'`,
    request: "GET /api/me\naccept: */*\ncookie: sid=abc; theme=dark\nuser-agent: Mozilla/5.0 (rv:132.0) Firefox/132.0",
    leftOut: ["sec-fetch-mode"],
  },
  {
    from: "Firefox, POSIX: a JSON body",
    command: `curl 'https://api.example.com/api/search' --compressed -X POST -H 'Accept: application/json' -H 'Content-Type: application/json' -H 'TE: trailers' --data-raw '{"q":"x","from":0,"size":25}'`,
    request:
      'POST /api/search\naccept: application/json\ncontent-type: application/json\n\n{"q":"x","from":0,"size":25}',
  },
  {
    from: "Firefox, POSIX: a body in $'...'",
    command: `curl 'https://api.example.com/api/search' -X POST -H 'Content-Type: application/json' --data-raw $'{"q":"it\\'s\\\\tcaf\\u00e9"}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"it\'s\\tcafé"}',
  },
  {
    from: "Firefox, POSIX: a form",
    command: `curl 'https://api.example.com/search' --compressed -X POST -H 'Content-Type: application/x-www-form-urlencoded' --data-raw 'a=1&b=x%2Fy'`,
    request: "POST /search\ncontent-type: application/x-www-form-urlencoded\n\na=1&b=x%2Fy",
  },
  {
    from: "Firefox, Windows: a list on one line",
    shell: "cmd",
    command: `curl "https://api.example.com/api/users?page=1&size=10" --compressed -H "User-Agent: Mozilla/5.0" -H "Accept: */*"`,
    request: "GET /api/users?page=1&size=10\naccept: */*\nuser-agent: Mozilla/5.0",
  },
  {
    from: "Firefox, Windows: doubled quotes of a JSON body",
    shell: "cmd",
    command: `curl "https://api.example.com/api/search" -X POST -H "Content-Type: application/json" --data-raw "{""q"":""a b"",""size"":10}"`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"a b","size":10}',
  },
  {
    from: "Firefox, Windows, newer: carets",
    shell: "cmd",
    command: `curl ^"https://api.example.com/api/users?a=1^&b=2^" --compressed -H ^"Accept: */*^" -H ^"X-Q: say ^\\^"hi^\\^"^"`,
    request: 'GET /api/users?a=1&b=2\naccept: */*\nx-q: say "hi"',
  },
  {
    from: "Safari: a list",
    command: `curl 'https://api.example.com/api/users?page=1&per_page=20' \\\n-X 'GET' \\\n-H 'Accept: application/json' \\\n-H 'Sec-Fetch-Site: same-origin' \\\n-H 'User-Agent: Mozilla/5.0 (Macintosh) Safari/605.1.15'`,
    request:
      "GET /api/users?page=1&per_page=20\naccept: application/json\nuser-agent: Mozilla/5.0 (Macintosh) Safari/605.1.15",
    leftOut: ["sec-fetch-site"],
  },
  {
    from: "Safari: a JSON body",
    command: `curl 'https://api.example.com/api/search' \\\n-X 'POST' \\\n-H 'Content-Type: application/json' \\\n--data-binary $'{"q":"it\\'s","cursor":null}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"it\'s","cursor":null}',
  },
  {
    from: "Safari: a body with other letters as UTF-16 units",
    escapes: "of the browser",
    command: `curl 'https://api.example.com/api/search' \\\n-X 'POST' \\\n-H 'Content-Type: application/json' \\\n--data-binary $'{"q":"\\u65e5\\u672c \\ud83d\\ude00"}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"日本 😀"}',
  },
  {
    from: "Safari: pragma and cache headers",
    command: `curl 'https://api.example.com/api/items' \\\n-X 'GET' \\\n-H 'Pragma: no-cache' \\\n-H 'Cache-Control: no-cache' \\\n-H 'Accept: */*'`,
    request: "GET /api/items\naccept: */*",
    leftOut: ["pragma", "cache-control"],
  },
  {
    from: "PowerShell, curl.exe: single quotes and backticks",
    shell: "powershell",
    command: `curl.exe 'https://api.example.com/api/users?page=1&size=10' \`\n  -H 'accept: application/json' \`\n  -H 'x-name: it''s'`,
    request: "GET /api/users?page=1&size=10\naccept: application/json\nx-name: it's",
  },
  {
    from: "PowerShell, curl.exe: a JSON body with backslashes",
    shell: "powershell",
    command: `curl.exe -X POST 'https://api.example.com/api/search' -H 'content-type: application/json' --data-raw '{\\"q\\":\\"a b\\",\\"size\\":10}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"a b","size":10}',
  },
  {
    from: "PowerShell 7, curl.exe: a JSON body",
    shell: "powershell",
    command: `curl.exe -X POST 'https://api.example.com/api/search' \`\r\n  -H 'content-type: application/json' \`\r\n  --data-raw '{"q":"$5 \`x","size":10}'`,
    request: 'POST /api/search\ncontent-type: application/json\n\n{"q":"$5 `x","size":10}',
  },
  {
    from: "PowerShell, curl.exe: double quotes with backticks",
    shell: "powershell",
    command: `curl.exe "https://api.example.com/api/users?q=\`$x" \`\n  -H "x-say: a ""b"" \`"c\`""`,
    request: 'GET /api/users?q=$x\nx-say: a "b" "c"',
  },
  {
    from: "Postman: a list",
    command: `curl --location 'https://api.example.com/v2/users?limit=10&offset=0' \\\n--header 'Accept: application/json' \\\n--header 'Authorization: Bearer abc123'`,
    request: "GET /v2/users?limit=10&offset=0\naccept: application/json\nauthorization: Bearer abc123",
  },
  {
    from: "Postman: a JSON body over several lines",
    command: `curl --location 'https://api.example.com/v2/search' \\\n--header 'Content-Type: application/json' \\\n--data '{\n    "filter": {\n        "status": "open"\n    },\n    "limit": 50\n}'`,
    request: 'POST /v2/search\ncontent-type: application/json\n\n{"filter":{"status":"open"},"limit":50}',
  },
  {
    from: "Postman, older: --request and --data-raw",
    command: `curl --location --request POST 'https://api.example.com/v2/search' \\\n--header 'Content-Type: application/json' \\\n--data-raw '{"a": "it'\\''s"}'`,
    request: 'POST /v2/search\ncontent-type: application/json\n\n{"a":"it\'s"}',
  },
  {
    from: "Postman: a form",
    command: `curl --location 'https://api.example.com/token' \\\n--header 'Content-Type: application/x-www-form-urlencoded' \\\n--data-urlencode 'name=a b&c' \\\n--data-urlencode 'scope=read,list'`,
    request: "POST /token\ncontent-type: application/x-www-form-urlencoded\n\nname=a%20b%26c&scope=read%2Clist",
    notes: /percent-encoding: "name" of the form/,
  },
  {
    from: "Postman: GraphQL",
    command: `curl --location 'https://api.example.com/graphql' \\\n--header 'Content-Type: application/json' \\\n--data '{"query":"{ users(first: 5) { id } }","variables":{}}'`,
    request: 'POST /graphql\ncontent-type: application/json\n\n{"query":"{ users(first: 5) { id } }","variables":{}}',
  },
  {
    from: "Postman: --globoff with brackets",
    command: `curl --location --globoff 'https://api.example.com/v2/users?filter[name]=a&include={x}' \\\n--header 'Accept: application/json'`,
    request: "GET /v2/users?filter[name]=a&include={x}\naccept: application/json",
  },
  {
    from: "Postman: Basic",
    command: `curl --location 'https://api.example.com/v2/users' \\\n--header 'Authorization: Basic bWU6czNjcmV0'`,
    request: "GET /v2/users\nauthorization: Basic bWU6czNjcmV0",
  },
  {
    from: "Postman: a cookie and a key in the query",
    command: `curl --location 'https://api.example.com/v2/users?api_key=s3cret&page=1' \\\n--header 'Cookie: sid=abc'`,
    request: "GET /v2/users?page=1&api_key=s3cret\ncookie: sid=abc",
  },
  {
    from: "Insomnia: a list",
    command: `curl --request GET \\\n  --url 'https://api.example.com/users?page=1&limit=5' \\\n  --header 'User-Agent: insomnia/10.1.1' \\\n  --header 'Authorization: Bearer abc'`,
    request: "GET /users?page=1&limit=5\nauthorization: Bearer abc\nuser-agent: insomnia/10.1.1",
  },
  {
    from: "Insomnia: a JSON body with tabs",
    command: `curl --request POST \\\n  --url https://api.example.com/search \\\n  --header 'Content-Type: application/json' \\\n  --data '{\n\t"query": "a",\n\t"size": 10\n}'`,
    request: 'POST /search\ncontent-type: application/json\n\n{"query":"a","size":10}',
  },
  {
    from: "Insomnia: a form and a cookie",
    command: `curl --request POST \\\n  --url https://api.example.com/search \\\n  --header 'Content-Type: application/x-www-form-urlencoded' \\\n  --cookie sid=abc \\\n  --data q=x \\\n  --data 'name=a b'`,
    request: "POST /search\ncontent-type: application/x-www-form-urlencoded\ncookie: sid=abc\n\nq=x&name=a%20b",
    notes: /percent-encoding: "name" of the form/,
  },
  {
    from: "Swagger UI: a list",
    command: `curl -X 'GET' \\\n  'https://api.example.com/v2/pets?status=available&status=pending&limit=20' \\\n  -H 'accept: application/json'`,
    request: "GET /v2/pets?status=available&status=pending&limit=20\naccept: application/json",
  },
  {
    from: "Swagger UI: a key",
    command: `curl -X 'GET' \\\n  'https://api.example.com/v2/pets' \\\n  -H 'accept: application/json' \\\n  -H 'X-API-Key: abc'`,
    request: "GET /v2/pets\naccept: application/json\nx-api-key: abc",
  },
  {
    from: "Swagger UI: a JSON body",
    command: `curl -X 'POST' \\\n  'https://api.example.com/v2/pets/search' \\\n  -H 'accept: */*' \\\n  -H 'Content-Type: application/json' \\\n  -d '{\n  "tags": [\n    "a"\n  ],\n  "page": 0\n}'`,
    request: 'POST /v2/pets/search\naccept: */*\ncontent-type: application/json\n\n{"tags":["a"],"page":0}',
  },
  {
    from: "Swagger UI: a POST with an empty body",
    command: `curl -X 'POST' \\\n  'https://api.example.com/v2/pets/search?page=0' \\\n  -H 'accept: */*' \\\n  -d ''`,
    request: "POST /v2/pets/search?page=0\naccept: */*\ncontent-type: application/x-www-form-urlencoded",
  },
  {
    from: "Swagger UI: a form",
    command: `curl -X 'POST' \\\n  'https://api.example.com/v2/pets/search' \\\n  -H 'accept: application/json' \\\n  -H 'Content-Type: application/x-www-form-urlencoded' \\\n  -d 'name=Rex&kind=dog%20or%20cat'`,
    request:
      "POST /v2/pets/search\naccept: application/json\ncontent-type: application/x-www-form-urlencoded\n\nname=Rex&kind=dog%20or%20cat",
  },
  {
    from: "documentation: a key as the user name",
    command: `curl https://api.example.com/v1/charges \\\n  -u sk_test_abc: \\\n  -d limit=3 \\\n  -G`,
    request: "GET /v1/charges?limit=3\nauthorization: Basic c2tfdGVzdF9hYmM6",
  },
  {
    from: "documentation: user and password",
    command: `curl -s -u 'me:pä:ss' https://api.example.com/v1/users.json`,
    request: "GET /v1/users.json\nauthorization: Basic bWU6cMOkOnNz",
  },
  {
    from: "documentation: a versioned Accept",
    command: `curl -L \\\n  -H "Accept: application/vnd.github+json" \\\n  -H "Authorization: Bearer ghp_abc" \\\n  -H "X-GitHub-Api-Version: 2022-11-28" \\\n  "https://api.example.com/repos/o/r/issues?per_page=5"`,
    request:
      "GET /repos/o/r/issues?per_page=5\naccept: application/vnd.github+json\nauthorization: Bearer ghp_abc\nx-github-api-version: 2022-11-28",
  },
  {
    from: "documentation: a search with a body",
    command: `curl -X POST "https://api.example.com/idx/_search?pretty" -H 'Content-Type: application/json' -d'\n{\n  "query": { "match_all": {} },\n  "size": 3\n}\n'`,
    request: 'POST /idx/_search?pretty\ncontent-type: application/json\n\n{"query":{"match_all":{}},"size":3}',
  },
  {
    from: "documentation: --json",
    command: `curl --json '{"page_size": 5}' https://api.example.com/v1/query -H 'Authorization: Token abc'`,
    request:
      'POST /v1/query\naccept: application/json\nauthorization: Token abc\ncontent-type: application/json\n\n{"page_size":5}',
  },
  {
    from: "documentation: times with offsets, lists with commas",
    command: `curl 'https://api.example.com/v1/events?since=2024-01-01T00:00:00+01:00&fields=id,name&ids=1,2,3&limit=2' -H 'X-Token: t'`,
    request: "GET /v1/events?since=2024-01-01T00:00:00+01:00&fields=id,name&ids=1,2,3&limit=2\nx-token: t",
  },
  {
    from: "documentation: -G with encoded data",
    command: `curl -G https://api.example.com/v1/query --data-urlencode 'query=SELECT * FROM t' --data-urlencode 'lang=en&de' -d n=1`,
    request: "GET /v1/query?query=SELECT+%2A+FROM+t&lang=en%26de&n=1",
  },
  {
    from: "documentation: --url-query",
    command: `curl --url-query 'q=a b' --url-query page=1 https://api.example.com/v1/items?z=0`,
    request: "GET /v1/items?q=a+b&z=0&page=1",
  },
  {
    from: "documentation: an address without a path, and a fragment",
    command: `curl 'https://api.example.com#top' -A 'me/1.0' -e https://app.example.com/`,
    request: "GET /\nreferer: https://app.example.com/\nuser-agent: me/1.0",
  },
  {
    from: "documentation: --oauth2-bearer, short options in one word",
    command: `curl -sSfL --oauth2-bearer abc -H'Accept: text/csv' 'https://api.example.com/v1/export?format=csv'`,
    request: "GET /v1/export?format=csv\naccept: text/csv\nauthorization: Bearer abc",
  },
  {
    from: "documentation: several cookies and headers of one name",
    command: `curl -b a=1 -b 'b=2; c=3' -H 'X-A: 1' -H 'X-A: 2' https://api.example.com/v1/items`,
    request: "GET /v1/items\ncookie: a=1; b=2; c=3\nx-a: 1, 2",
    notes: /the values of the header X-A are sent in one line/,
  },
  {
    from: "Hoppscotch: a GET",
    command: `curl --request GET \\\n  --url 'https://api.example.com/v1/items?sort=-created_at&page=1' \\\n  --header 'accept: application/json, text/plain, */*'`,
    request: "GET /v1/items?sort=-created_at&page=1\naccept: application/json, text/plain, */*",
  },
  {
    from: "Bruno: a GET with a JSON body becomes a POST",
    command: `curl --request GET \\\n  --url https://api.example.com/v1/search \\\n  --header 'content-type: application/json' \\\n  --data '{"size": 1}'`,
    request: 'POST /v1/search\ncontent-type: application/json\n\n{"size":1}',
    notes: /a GET with a body is sent as a POST/,
  },
];
