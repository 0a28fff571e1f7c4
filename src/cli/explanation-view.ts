/** A rule's parts for people: which of them are true of an event, one a line. */
import type { Answer } from '../../packages/client/src/index.ts';
import { out } from './colours.ts';
import { plain } from './output.ts';

type ExplainedPart = Answer<'explainMatch'>['explanation'];

export function viewParts({ label, holds, of, near = [] }: ExplainedPart, depth = 0): string[] {
  const mark = holds ? out.green('yes') : out.red('no ');
  const instead = near.length === 0 ? '' : out.dim(`  (there: ${near.map((word) => plain(word)).join(', ')})`);
  return [
    `${mark} ${'  '.repeat(depth)}${plain(label, 200)}${instead}`,
    ...of.flatMap((part) => viewParts(part, depth + 1)),
  ];
}
