/*
 * The data of the soak's API: endless orders in pages of a thousand. On every eighth page four orders have items, which come in
 * separate pages. Every byte depends only on the number of the order, so that the reader knows each expected line.
 */
export const pageSize = 1000;
export const itemPageSize = 50;
export const itemsOfOrder = 120;

/** Expected records of a spile process, as lines, with their number. */
export interface Piece {
  readonly lines: Buffer;
  readonly count: number;
}

/** Returns the id of order `index`, which a double can seldom hold exactly. */
function orderId(index: number): string {
  return `9007199254${String(index).padStart(9, "0")}`;
}

/** Returns the number of the order with this id. */
export function orderIndex(id: string): number {
  return Number(id.slice(10));
}

/** Returns orders `from` to `to`, the latter excluded, as compact JSON. */
export function orders(from: number, to: number): string[] {
  const texts: string[] = [];
  for (let index = from; index < to; index++) {
    const rest = rests[index % rests.length] ?? "";
    texts.push(`{"id":${orderId(index)},"items":${hasItems(index) ? itemsOfOrder : 0},${rest}}`);
  }
  return texts;
}

/** Returns the items of an order from number `from` to `to`, the latter excluded. */
export function items(order: number, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => {
    const number = from + index;
    return `{"item":${number},"key":"${orderId(order)}-${number}","price":${number}.10,"text":"\\u0161 ${"sap ".repeat(number % 9)}"}`;
  });
}

function hasItems(index: number): boolean {
  return hasItemPages(Math.floor(index / pageSize)) && index % 250 === 10;
}

/** Returns whether orders of this page have items. */
export function hasItemPages(page: number): boolean {
  return page % 8 === 0;
}

/** Yields all lines in their order: a page of orders, then the items of each of its orders, then the next page. */
export function* expectedPieces(): Generator<Piece, never> {
  for (let page = 0; ; page++) {
    const first = page * pageSize;
    yield piece(orders(first, first + pageSize));
    if (!hasItemPages(page)) continue;
    for (let index = first; index < first + pageSize; index++) {
      if (hasItems(index)) yield piece(items(index, 0, itemsOfOrder).map((text) => withParent(text, index)));
    }
  }
}

/** Returns the number of lines of `count` orders and their items, where the last page must have no items. */
export function linesOf(count: number): number {
  const parents = Math.ceil(Math.floor(count / pageSize) / 8) * (pageSize / 250);
  return count + parents * itemsOfOrder;
}

function withParent(text: string, index: number): string {
  return `${text.slice(0, -1)},"parent_id":${orderId(index)}}`;
}

function piece(texts: readonly string[]): Piece {
  return { lines: Buffer.from(`${texts.join("\n")}\n`), count: texts.length };
}

const towns = ["Zürich", "Québec", "東京", "Brno", "Montréal", "\\u0160umperk", "🍁 Sugarbush"];

/** Texts that follow the ids and items in an order: 997 variants, so that neighbouring pages differ. */
const rests = Array.from(
  { length: 997 },
  (_, kind) =>
    `"total":${kind}.${kind % 10}0,"weight":${kind}e-400,"town":"${towns[kind % towns.length]}","paid":${kind % 3 === 0},"coupon":null,` +
    `"tags":["t${kind % 7}","\\"q\\""],"position":[${kind % 90}.250,-0],"note":"${"maple ".repeat(kind % 40)}"`,
);
