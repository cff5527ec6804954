/** One command as a terminal shows it. */
export interface TerminalEntry {
  readonly command: string;
  /** Whole lines; may be empty. */
  readonly output: string;
}

const columns = 104;
const fontSize = 14;
const lineHeight = 20;
const characterWidth = fontSize * 0.6;
const margin = 24;
const titleHeight = 28;

/** Words that get their own colour, so that a verdict is visible at a glance. */
const colours: readonly (readonly [RegExp, string])[] = [
  [/\bcomplete\b/, "#7ee787"],
  [/\bsuspect\b/, "#ffa657"],
  [/^(error|warning)\b/, "#ff7b72"],
  [/^(info|found)\b/, "#79c0ff"],
];

/** Returns an SVG of a terminal in which these commands ran. `title` is the text for screen readers. */
export function drawTerminal(entries: readonly TerminalEntry[], title: string): string {
  const lines = entries.flatMap(({ command, output }, index) => [
    ...(index > 0 ? [""] : []),
    ...wrap(command, 2).map((line, row) => `${promptTspan(row)}${span(line, "#f0f6fc")}`),
    ...output
      .split("\n")
      .slice(0, -1)
      .flatMap((line) => wrap(line, 0).map((piece, row) => (row === 0 ? coloured(piece) : escaped(piece)))),
  ]);
  const width = Math.ceil(columns * characterWidth) + 2 * margin;
  const height = titleHeight + lines.length * lineHeight + margin;
  const texts = lines.map((line, index) => {
    const y = titleHeight + (index + 1) * lineHeight;
    return line === "" ? "" : `<text x="${margin}" y="${y}" xml:space="preserve">${line}</text>\n`;
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${margin + index * 18}" cy="18" r="5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${dots.join("")}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}" fill="#c9d1d9">
${texts.join("")}</g>
</svg>
`;
}

function promptTspan(row: number): string {
  return row === 0 ? span("$ ", "#7ee787") : "  ";
}

/** Cuts a line after at most `columns` characters, between words if possible. */
function wrap(line: string, indent: number): string[] {
  const room = columns - indent;
  if (line.length <= room) return [line];
  const space = line.lastIndexOf(" ", room);
  const end = space > 0 ? space : room;
  return [line.slice(0, end), ...wrap(line.slice(end).trimStart(), indent)];
}

/** Colours the first word of each kind in a line. */
function coloured(line: string): string {
  const found = colours.flatMap(([pattern, colour]) => {
    const match = pattern.exec(line);
    return match === null ? [] : [{ start: match.index, word: match[0], colour }];
  });
  let end = 0;
  let result = "";
  for (const { start, word, colour } of found.sort((one, other) => one.start - other.start)) {
    result += escaped(line.slice(end, start)) + span(word, colour);
    end = start + word.length;
  }
  return result + escaped(line.slice(end));
}

function span(content: string, fill: string): string {
  return `<tspan fill="${fill}">${escaped(content)}</tspan>`;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
