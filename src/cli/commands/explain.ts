/** `sluice explain`: why a stored match matched, by the parts of its rule. */
import { Command } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { out } from '../colours.ts';
import { connectServer } from '../connect.ts';
import { viewParts } from '../explanation-view.ts';
import { plain, printJson } from '../output.ts';

export const explainCommand = (): Command =>
  new Command('explain')
    .argument('<match>', 'the id of a match')
    .description('show why a match matched: each part of its rule, and whether it is true')
    .option('--json', 'print JSON, as Explain Match answers')
    .action(async (match: string, { json }: { json?: true }) => {
      const answer = await connectServer().client.matches.explain({ match_id: match });
      if (json) printJson(answer);
      else console.log(describeMatch(answer).join('\n'));
    });

function describeMatch(answer: Answer<'explainMatch'>): string[] {
  const { value, explanation, rule_version: then, explained_version: now, relevance, relevance_words: words } = answer;
  const { relevance_basis: basis, relevance_reason: reason } = answer;
  const lines = [out.bold(plain(value, 200)), ...viewParts(explanation)];
  if (then !== now)
    lines.push(
      '',
      `The rule has changed: version ${then} matched, and this is what version ${now} makes of the event.`,
    );
  if (relevance !== null && relevance !== undefined)
    lines.push('', `Relevance ${relevance}${basis === undefined ? '' : `, ${basis}: ${reason}`}.`);
  for (const { word, weight } of words) lines.push(`  ${plain(word)}  ${weight > 0 ? 'for' : 'against'}`);
  const { story_joined_by: joined, story_words: common = [] } = answer;
  if (joined !== undefined)
    lines.push(
      '',
      `It joined its story by ${JOINED[joined]}${common.length === 0 ? '' : `: ${plain(common.join(', '))}`}.`,
    );
  return lines;
}

const JOINED = { post: 'its post', link: 'a link', text: 'its text', words: 'its words' };
