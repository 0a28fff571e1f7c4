/** `sluice rate`, `sluice suggest` and `sluice draft`: what is relevant, and the rules that follow from it. */
import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { RATINGS, type Rating } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { viewMatch } from '../match-view.ts';
import { CliError, counted, facts, out, printJson } from '../output.ts';

export function rateCommand(): Command {
  return new Command('rate')
    .argument('<match>', 'the id of a match')
    .addArgument(new Argument('<rating>', 'none takes the rating back').choices([...RATINGS, 'none']))
    .description('say whether a match is what its rule is for')
    .option('--json', 'print JSON')
    .action(async (match: string, given: Rating | 'none', { json }: { json?: true }) => {
      const rating = given === 'none' ? null : given;
      await connectServer().client.matches.rate({ match_id: match, rating });
      if (json) printJson({ match_id: match, rating });
      else console.log(rating === null ? 'The rating is taken back.' : `Rated ${rating}.`);
    });
}

interface SuggestOptions {
  readonly platform?: Platform;
  readonly json?: true;
}

export function suggestCommand(): Command {
  return new Command('suggest')
    .argument('<rule>', 'id or name')
    .description('show changes of a rule, each with what it would have done to its matches')
    .addOption(new Option('--platform <name>', 'of one platform').choices(PLATFORMS))
    .option('--json', 'print JSON, as Suggest Changes answers')
    .action(async (rule: string, { platform, json }: SuggestOptions) => {
      const { client } = connectServer();
      const rule_id = await ruleIdOf(client, rule);
      const answer = await client.rules.suggest({ rule_id, ...(platform && { platform }) });
      if (json) return printJson(answer);
      const { suggestions, basis, ask, checked } = answer;
      if (suggestions.length === 0)
        console.log(
          `Nothing that is safe to suggest from ${counted(basis.rated, 'rating')}. Rate matches with \`sluice rate\`.`,
        );
      for (const { platform: name, change, value, effect, lost } of suggestions)
        console.log(
          `${out.bold(change)}  ${out.dim(name)}\n${facts([
            ['new text', value],
            ['noise removed', `${effect.irrelevant_removed} of ${effect.irrelevant_total} irrelevant`],
            ['wanted lost', lossOf(effect)],
            [
              'newest matches',
              `${effect.recent_removed} of ${effect.recent_total} removed, ${effect.recent_added} events added${effect.demo_added === undefined ? '' : `, ${effect.demo_added} of them invented by the demo`}`,
            ],
            ...lost.map(({ id }): [string, string] => ['would be lost', id]),
          ])}\n`,
        );
      if (ask.length > 0) console.log('These ratings would decide most (`sluice rate MATCH relevant|irrelevant`):');
      for (const match of ask) console.log(`${out.bold(match.id)}  ${viewMatch(match)}`);
      for (const { value, predicted_removed_share, actual_removed_share } of checked)
        console.log(
          `Applied: ${value}\n  predicted to remove ${percent(predicted_removed_share)}, ${actual_removed_share === null ? 'what it removed is not known' : `removed ${percent(actual_removed_share)}`}`,
        );
    });
}

/** Nothing rated relevant is never shown as nothing lost. */
function lossOf(effect: Answer<'suggestChanges'>['suggestions'][number]['effect']): string {
  const { relevant_lost, relevant_total, unrated_removed, unrated_total, relevant_lost_basis } = effect;
  const known = relevant_total === 0 ? 'none rated relevant yet' : `${relevant_lost} of ${relevant_total} relevant`;
  if (relevant_total === 0 && unrated_total === 0) return `not known: ${known}`;
  const bound = `at most ${percent(effect.relevant_lost_upper)} (95 %)`;
  return relevant_lost_basis === 'rated'
    ? `${known}, ${bound}`
    : `${known}, ${unrated_removed} of ${unrated_total} without a rating; if all of these are wanted, ${bound}`;
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

interface DraftOptions {
  readonly platform: Platform;
  readonly wanted?: string;
  readonly unwanted?: string;
  readonly json?: true;
}

export function draftCommand(): Command {
  return new Command('draft')
    .argument('[intent]', 'a sentence that says what the rule is for')
    .description('write a rule from a sentence, from wanted and unwanted events, or from both')
    .addOption(new Option('--platform <name>', 'the language of the rule').choices(PLATFORMS).makeOptionMandatory())
    .option('--wanted <file>', 'events that it should match, one JSON object a line')
    .option('--unwanted <file>', 'events that it should not match')
    .option('--json', 'print JSON, as Draft Rule answers')
    .action(async (intent: string | undefined, { platform, wanted, unwanted, json }: DraftOptions) => {
      const answer = await connectServer().client.rules.draft({
        platform,
        ...(intent !== undefined && { intent }),
        ...(wanted !== undefined && { wanted: eventsIn(wanted) }),
        ...(unwanted !== undefined && { unwanted: eventsIn(unwanted) }),
      });
      if (json) return printJson(answer);
      for (const { value, fit } of [answer, ...answer.alternatives]) {
        console.log(value);
        if (fit.wanted + fit.unwanted > 0)
          console.log(
            `  ${out.dim(`matches ${fit.wanted_matched} of ${fit.wanted} wanted, ${fit.unwanted_matched} of ${fit.unwanted} unwanted`)}`,
          );
      }
    });
}

function eventsIn(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [eventIn(line, `${path}:${at + 1}`)]));
}

function eventIn(line: string, place: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(line.trim());
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return { ...event };
  } catch {}
  throw new CliError(`${place}: it is not a JSON object.`, 2);
}
