import assert from "node:assert/strict";
import { test } from "node:test";
import { date } from "../../../src/expression/php/date.ts";
import { inEveryZone } from "./zones.ts";

/** Unix times: the epoch and the second before it, a leap day, ends of years, a week of the next year, far years. */
const times = [
  0, -1, 951_782_400, 1_483_228_799, 1_483_142_400, 1_508_620_560, 1_609_459_199, 253_402_300_800, -62_135_596_800,
];

/** Every letter, and PHP 8.2's text for it in UTC at each of the times. */
const letters: readonly (readonly [letter: string, texts: readonly string[]])[] = [
  ["d", ["01", "31", "29", "31", "31", "21", "31", "01", "01"]],
  ["D", ["Thu", "Wed", "Tue", "Sat", "Sat", "Sat", "Thu", "Sat", "Mon"]],
  ["j", ["1", "31", "29", "31", "31", "21", "31", "1", "1"]],
  ["l", ["Thursday", "Wednesday", "Tuesday", "Saturday", "Saturday", "Saturday", "Thursday", "Saturday", "Monday"]],
  ["N", ["4", "3", "2", "6", "6", "6", "4", "6", "1"]],
  ["S", ["st", "st", "th", "st", "st", "st", "st", "st", "st"]],
  ["w", ["4", "3", "2", "6", "6", "6", "4", "6", "1"]],
  ["z", ["0", "364", "59", "365", "365", "293", "365", "0", "0"]],
  ["W", ["01", "01", "09", "52", "52", "42", "53", "52", "01"]],
  ["F", ["January", "December", "February", "December", "December", "October", "December", "January", "January"]],
  ["m", ["01", "12", "02", "12", "12", "10", "12", "01", "01"]],
  ["M", ["Jan", "Dec", "Feb", "Dec", "Dec", "Oct", "Dec", "Jan", "Jan"]],
  ["n", ["1", "12", "2", "12", "12", "10", "12", "1", "1"]],
  ["t", ["31", "31", "29", "31", "31", "31", "31", "31", "31"]],
  ["L", ["0", "0", "1", "1", "1", "0", "1", "1", "0"]],
  ["o", ["1970", "1970", "2000", "2016", "2016", "2017", "2020", "9999", "1"]],
  ["X", ["+1970", "+1969", "+2000", "+2016", "+2016", "+2017", "+2020", "+10000", "+0001"]],
  ["x", ["1970", "1969", "2000", "2016", "2016", "2017", "2020", "+10000", "0001"]],
  ["Y", ["1970", "1969", "2000", "2016", "2016", "2017", "2020", "10000", "0001"]],
  ["y", ["70", "69", "00", "16", "16", "17", "20", "00", "01"]],
  ["a", ["am", "pm", "am", "pm", "am", "pm", "pm", "am", "am"]],
  ["A", ["AM", "PM", "AM", "PM", "AM", "PM", "PM", "AM", "AM"]],
  ["B", ["041", "041", "041", "041", "041", "927", "041", "041", "041"]],
  ["g", ["12", "11", "12", "11", "12", "9", "11", "12", "12"]],
  ["G", ["0", "23", "0", "23", "0", "21", "23", "0", "0"]],
  ["h", ["12", "11", "12", "11", "12", "09", "11", "12", "12"]],
  ["H", ["00", "23", "00", "23", "00", "21", "23", "00", "00"]],
  ["i", ["00", "59", "00", "59", "00", "16", "59", "00", "00"]],
  ["s", ["00", "59", "00", "59", "00", "00", "59", "00", "00"]],
  ["u", ["000000", "000000", "000000", "000000", "000000", "000000", "000000", "000000", "000000"]],
  ["v", ["000", "000", "000", "000", "000", "000", "000", "000", "000"]],
  ["e", ["UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC"]],
  ["I", ["0", "0", "0", "0", "0", "0", "0", "0", "0"]],
  ["O", ["+0000", "+0000", "+0000", "+0000", "+0000", "+0000", "+0000", "+0000", "+0000"]],
  ["P", ["+00:00", "+00:00", "+00:00", "+00:00", "+00:00", "+00:00", "+00:00", "+00:00", "+00:00"]],
  ["p", ["Z", "Z", "Z", "Z", "Z", "Z", "Z", "Z", "Z"]],
  ["T", ["UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC", "UTC"]],
  ["Z", ["0", "0", "0", "0", "0", "0", "0", "0", "0"]],
  [
    "c",
    [
      "1970-01-01T00:00:00+00:00",
      "1969-12-31T23:59:59+00:00",
      "2000-02-29T00:00:00+00:00",
      "2016-12-31T23:59:59+00:00",
      "2016-12-31T00:00:00+00:00",
      "2017-10-21T21:16:00+00:00",
      "2020-12-31T23:59:59+00:00",
      "10000-01-01T00:00:00+00:00",
      "0001-01-01T00:00:00+00:00",
    ],
  ],
  [
    "r",
    [
      "Thu, 01 Jan 1970 00:00:00 +0000",
      "Wed, 31 Dec 1969 23:59:59 +0000",
      "Tue, 29 Feb 2000 00:00:00 +0000",
      "Sat, 31 Dec 2016 23:59:59 +0000",
      "Sat, 31 Dec 2016 00:00:00 +0000",
      "Sat, 21 Oct 2017 21:16:00 +0000",
      "Thu, 31 Dec 2020 23:59:59 +0000",
      "Sat, 01 Jan 10000 00:00:00 +0000",
      "Mon, 01 Jan 0001 00:00:00 +0000",
    ],
  ],
  [
    "U",
    ["0", "-1", "951782400", "1483228799", "1483142400", "1508620560", "1609459199", "253402300800", "-62135596800"],
  ],
];

inEveryZone("date knows every letter of PHP", () => {
  for (const [letter, texts] of letters) {
    assert.deepEqual(
      times.map((time) => date(letter, time)),
      texts,
      letter,
    );
  }
});

test("characters that are no format letters are literal, and so is a letter after a backslash", () => {
  assert.equal(date("Y-m-d\\TH:i:s\\Z", 1_500_000_000), "2017-07-14T02:40:00Z");
  assert.equal(date("\\Y\\\\Y k ž 1!", 0), "Y\\1970 k ž 1!");
  assert.equal(date("Y\\", 0), "1970\0");
  assert.equal(date("", 0), "");
});

test("ordinals, hours in both clocks and leap years are written as by PHP", () => {
  const days = Array.from({ length: 31 }, (_, index) => date("jS", index * 86_400));
  assert.deepEqual(days.slice(0, 4), ["1st", "2nd", "3rd", "4th"]);
  assert.deepEqual(days.slice(10, 13), ["11th", "12th", "13th"]);
  assert.deepEqual(days.slice(20, 23), ["21st", "22nd", "23rd"]);
  assert.deepEqual(
    [0, 1, 11, 12, 13, 23].map((hour) => date("g a G", hour * 3600)),
    ["12 am 0", "1 am 1", "11 am 11", "12 pm 12", "1 pm 13", "11 pm 23"],
  );
  const leap = (year: number) => date("L t", Date.UTC(year, 1, 1) / 1000);
  assert.deepEqual([1900, 2000, 2023, 2024].map(leap), ["0 28", "1 29", "0 28", "1 29"]);
});

/** Output of PHP 8.2 for moments around changes of clocks. */
const zoned: readonly (readonly [zone: string, time: number, text: string])[] = [
  ["Europe/Prague", 1_711_846_799, "2024-03-31 01:59:59 +0100 +01:00 3600 0 CET Europe/Prague"],
  ["Europe/Prague", 1_711_846_800, "2024-03-31 03:00:00 +0200 +02:00 7200 1 CEST Europe/Prague"],
  ["Europe/Prague", 1_729_990_799, "2024-10-27 02:59:59 +0200 +02:00 7200 1 CEST Europe/Prague"],
  ["Europe/Prague", 1_729_990_800, "2024-10-27 02:00:00 +0100 +01:00 3600 0 CET Europe/Prague"],
  ["America/New_York", 1_730_613_600, "2024-11-03 01:00:00 -0500 -05:00 -18000 0 EST America/New_York"],
  ["America/St_Johns", 1_720_000_000, "2024-07-03 07:16:40 -0230 -02:30 -9000 1 NDT America/St_Johns"],
  ["Asia/Kolkata", 1_720_000_000, "2024-07-03 15:16:40 +0530 +05:30 19800 0 IST Asia/Kolkata"],
  ["Asia/Kathmandu", 1_720_000_000, "2024-07-03 15:31:40 +0545 +05:45 20700 0 +0545 Asia/Kathmandu"],
  ["America/Sao_Paulo", 1_720_000_000, "2024-07-03 06:46:40 -0300 -03:00 -10800 0 -03 America/Sao_Paulo"],
  ["UTC", 1_720_000_000, "2024-07-03 09:46:40 +0000 +00:00 0 0 UTC UTC"],
];

inEveryZone("date shows the clock of the given zone, whatever zone the process has", () => {
  for (const [zone, time, text] of zoned) {
    assert.equal(date("Y-m-d H:i:s O P Z I T e", { time, fraction: "", zone }), text);
    assert.equal(date("U", { time, fraction: "", zone }), String(time));
    assert.equal(date("c", { time, fraction: "", zone }), date("Y-m-d\\TH:i:sP", { time, fraction: "", zone }));
  }
});

test("a fraction is cut to the digits of the format, and left out if the format has none", () => {
  assert.equal(date("s.v u", { time: 1, fraction: "1239", zone: undefined }), "01.123 123900");
  assert.equal(date("s.v u", { time: 1, fraction: "9999999", zone: undefined }), "01.999 999999");
});
