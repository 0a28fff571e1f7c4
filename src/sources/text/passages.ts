/** Compares two versions of a text, passage by passage. */
import type { ChangedRow } from '../../domain/changed-rows.ts';

export interface TextChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The changes side by side, in the order of the text: each new passage beside the one that it replaced. */
  readonly rows: readonly ChangedRow[];
}

/** Texts with more pairs of passages to compare than this are compared without regard to order. */
const MAX_PAIRS = 1_000_000;

/** Lines, and the sentences of long lines: a changed word shows the sentence around it. */
const passagesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => (line.length > 200 ? line.split(/(?<=[.!?。！？])\s+/u) : [line]))
    .filter((passage) => passage !== '');

export function changeOf(before: string, now: string, mostPairs = MAX_PAIRS): TextChange {
  const [old, fresh] = [passagesOf(before), passagesOf(now)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const [from, to] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  return from.length * to.length > mostPairs ? unordered(from, to) : ordered(from, to);
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
  const runs: { removed: string[]; added: string[] }[] = [{ removed: [], added: [] }];
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (old[i] === fresh[j]) {
      [i, j] = [i + 1, j + 1];
      runs.push({ removed: [], added: [] });
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) runs.at(-1)!.removed.push(from[i++]!);
    else runs.at(-1)!.added.push(to[j++]!);
  }
  runs.at(-1)!.added.push(...to.slice(j));
  runs.at(-1)!.removed.push(...from.slice(i));
  return changeIn(runs);
}

function changeIn(
  runs: readonly { readonly removed: readonly string[]; readonly added: readonly string[] }[],
): TextChange {
  return {
    added: runs.flatMap(({ added }) => added),
    removed: runs.flatMap(({ removed }) => removed),
    rows: runs.flatMap(({ removed, added }) =>
      Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => ({
        ...(removed[at] !== undefined && { before: removed[at] }),
        ...(added[at] !== undefined && { after: added[at] }),
      })),
    ),
  };
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
  const added = to.filter((passage) => !old.has(passage));
  return changeIn([{ added, removed: from.filter((passage) => !fresh.has(passage)) }]);
}
