/**
 * Words within a few edits: insert, delete, replace a character, or swap two neighbours, no character edited twice
 * (optimal string alignment). There are at most two edits, so only a narrow band of the table is computed.
 */
export function compileFuzzy(term: string, edits: number): (text: string, start: number, end: number) => boolean {
  const wanted = Int32Array.from(term, (one) => one.codePointAt(0)!);
  const width = wanted.length + 2 * edits + 2;
  return (text, start, end) => {
    // Lengths are in units, so the bound is generous: a code point has at most two units.
    if (end - start > 2 * (wanted.length + edits)) return false;
    const given = codePoints(text, start, end);
    if (Math.abs(given.length - wanted.length) > edits) return false;
    return distanceWithin(wanted, given, edits, width);
  };
}

const newRows = (width: number): [Int32Array, Int32Array, Int32Array] => [
  new Int32Array(width),
  new Int32Array(width),
  new Int32Array(width),
];

let shared = newRows(64);

/** Three rows of the table, the same ones for every pattern: a test begins and ends in one go. */
function rowsOf(width: number): [Int32Array, Int32Array, Int32Array] {
  if (width > shared[0].length) shared = newRows(width * 2);
  return shared;
}

function codePoints(text: string, start: number, end: number): number[] {
  const codes: number[] = [];
  for (let at = start; at < end; at++) {
    const code = at + 1 < end ? text.codePointAt(at)! : text.charCodeAt(at);
    if (code > 0xffff) at++;
    codes.push(code);
  }
  return codes;
}

/** Rows are the given word, columns the wanted one. Cells outside the band hold a value that is too large. */
function distanceWithin(wanted: Int32Array, given: readonly number[], edits: number, width: number): boolean {
  const tooFar = edits + 1;
  let [before, above, row] = rowsOf(width);
  above.fill(tooFar, 0, width);
  for (let column = 0; column <= Math.min(edits, wanted.length); column++) above[column] = column;
  before.fill(tooFar, 0, width);
  for (let line = 1; line <= given.length; line++) {
    row.fill(tooFar, 0, width);
    let best = tooFar;
    const from = Math.max(0, line - edits);
    const to = Math.min(wanted.length, line + edits);
    for (let column = from; column <= to; column++) {
      const cell = column === 0 ? line : cellOf(wanted, given, line, column, row, above, before);
      row[column] = Math.min(cell, tooFar);
      if (cell < best) best = cell;
    }
    if (best > edits) return false;
    [before, above, row] = [above, row, before];
  }
  return above[wanted.length]! <= edits;
}

function cellOf(
  wanted: Int32Array,
  given: readonly number[],
  line: number,
  column: number,
  row: Int32Array,
  above: Int32Array,
  before: Int32Array,
): number {
  const same = wanted[column - 1] === given[line - 1];
  let cell = Math.min(above[column]! + 1, row[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
  const swapped =
    line > 1 && column > 1 && wanted[column - 1] === given[line - 2] && wanted[column - 2] === given[line - 1];
  if (swapped) cell = Math.min(cell, before[column - 2]! + 1);
  return cell;
}
