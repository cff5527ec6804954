// The usual program for this: fetch, JSON.parse, JSON.stringify. Arguments: address, page size (none: one response).
const [, , address, limit] = process.argv;
const size = Number(limit ?? 0);

for (let offset = 0; ; offset += size) {
  const response = await fetch(size === 0 ? address : `${address}&limit=${size}&offset=${offset}`);
  const { items } = (await response.json()).data;
  const text = items.map((item) => `${JSON.stringify(item)}\n`).join("");
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  if (items.length < size || size === 0) break;
}
