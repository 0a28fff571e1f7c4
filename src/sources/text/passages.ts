/** Compares two versions of a text, passage by passage. */

export interface TextChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Texts with more pairs of passages to compare than this are compared without regard to order. */
const MAX_PAIRS = 1_000_000;

/** Lines, and the sentences of long lines: a changed word shows the sentence around it. */
const passagesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => (line.length > 200 ? line.split(/(?<=[.!?。！？])\s+/u) : [line]))
    .filter((passage) => passage !== '');

export function changeOf(before: string, now: string): TextChange {
  const [old, fresh] = [passagesOf(before), passagesOf(now)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const [from, to] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  return from.length * to.length > MAX_PAIRS ? unordered(from, to) : ordered(from, to);
}

/** The passages outside a longest common subsequence. */
function ordered(from: readonly string[], to: readonly string[]): TextChange {
  const [old, fresh] = numbered(from, to) as [Uint32Array, Uint32Array];
  const width = to.length + 1;
  const common = new Uint32Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = old[i] === fresh[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const change = { added: [] as string[], removed: [] as string[] };
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (old[i] === fresh[j]) [i, j] = [i + 1, j + 1];
    else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) change.removed.push(from[i++]!);
    else change.added.push(to[j++]!);
  }
  return { added: [...change.added, ...to.slice(j)], removed: [...change.removed, ...from.slice(i)] };
}

/** One number for equal passages: a million pairs of long texts that differ at their ends would take a tenth of a second. */
function numbered(...lists: readonly (readonly string[])[]): Uint32Array[] {
  const numbers = new Map<string, number>();
  return lists.map((passages) =>
    Uint32Array.from(passages, (passage) => {
      const number = numbers.get(passage) ?? numbers.size;
      numbers.set(passage, number);
      return number;
    }),
  );
}

function unordered(from: readonly string[], to: readonly string[]): TextChange {
  const [old, fresh] = [new Set(from), new Set(to)];
  return { added: to.filter((passage) => !old.has(passage)), removed: from.filter((passage) => !fresh.has(passage)) };
}
