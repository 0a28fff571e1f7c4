/** `sluice why`: what keeps a rule from matching, by its clauses; or why it missed one post or page. */
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Answer, Rule } from '../../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, findRule } from '../connect.ts';
import { CliError, counted, out, plain, printJson } from '../output.ts';
import { wholeNumber } from './matches.ts';

interface Options {
  readonly platform?: Platform;
  readonly event?: string;
  readonly text?: string;
  readonly url?: string;
  readonly id?: string;
  readonly limit: number;
  readonly json?: true;
}

type NearMisses = Answer<'nearMisses'>;
type Explained = Answer<'explainEvent'>;

export function whyCommand(): Command {
  return new Command('why')
    .description('show what keeps a rule from matching: recent events that fail by one clause alone')
    .argument('<rule>', 'id or name')
    .addOption(new Option('-p, --platform <name>', 'which of its platforms, where it is on both').choices(PLATFORMS))
    .option('-e, --event <path>', 'explain one post or page instead, from a JSON file ("-" is standard input)')
    .option('--text <words>', 'explain the newest post or page with these words')
    .option('--url <address>', 'explain the post or page of this address, if it is known; it is not fetched')
    .option('--id <id>', 'explain the post or page with this event id, or id of its platform')
    .addOption(new Option('--limit <count>', 'samples of each clause').argParser(wholeNumber).default(1))
    .option('--json', 'print JSON, as Near Misses or Explain Event answers')
    .addHelpText('after', '\n  sluice why "Volcano news"\n  sluice why "Volcano news" --text "Etna erupts"')
    .action(why);
}

async function why(name: string, { limit, json, ...asked }: Options): Promise<void> {
  const wish = wishOf(asked);
  const { client } = connectServer();
  const rule = await findRule(client, name);
  if (wish === undefined) {
    const platform = platformOf(rule, asked.platform);
    const answer = await client.rules.nearMisses({ rule_id: rule.id, platform, limit: Math.min(limit, 10) });
    if (json) printJson(answer);
    else console.log(describe(answer));
    return;
  }
  const platform = asked.platform && { platform: platformOf(rule, asked.platform) };
  const answer = await client.rules.explainEvent({ rule_id: rule.id, ...platform, ...wish });
  if (json) printJson(answer);
  else console.log(describeEvent(answer).join('\n'));
}

/** The one post or page that is asked about. */
function wishOf({ event, text, url, id }: Omit<Options, 'limit'>) {
  const wishes = [
    ...(event === undefined ? [] : [{ event: readEvent(event) }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(url === undefined ? [] : [{ url }]),
    ...(id === undefined ? [] : [{ event_id: id }]),
  ];
  if (wishes.length > 1) throw new CliError('Give one of --event, --text, --url and --id.', 2);
  return wishes[0];
}

const FOUND: Readonly<Record<Explained['found'], string>> = {
  given: '',
  recent: 'It is among the recent events: ',
  stored: 'It is among the stored matches: ',
  text_only: 'It is neither among the recent events nor the stored matches, so only its text is known: ',
};

function describeEvent({ found, payload, matched, explanation, nearest, others, basis }: Explained): string[] {
  const invented = basis.demo_events === undefined ? '' : `, ${basis.demo_events} of them invented by the demo feed`;
  const lines = [
    ...(found === 'given' ? [] : [`${FOUND[found]}${plain(textOf(payload), 200)}`]),
    matched ? 'It matches.' : 'It does not match.',
    ...viewParts(explanation),
  ];
  if (nearest === null) return matched ? lines : [...lines, '', 'No small change of the rule matches it.'];
  lines.push('', `The smallest change that matches it, tried on ${counted(basis.events, 'recent event')}${invented}:`);
  for (const { change, value, options, added } of [nearest, ...others]) {
    const flags = options === undefined ? '' : ` with ${JSON.stringify(options)}`;
    lines.push(`  ${out.bold(plain(value, 400))}${flags}`, `    ${plain(change, 200)}: ${added} more match`);
  }
  return lines;
}

function platformOf({ name, platforms }: Rule, asked: Platform | undefined): Platform {
  const names = PLATFORMS.filter((one) => platforms[one] !== undefined);
  if (asked === undefined && names.length > 1)
    throw new CliError(`"${name}" is on ${names.join(' and ')}. Say which with --platform.`, 2);
  const chosen = asked ?? names[0]!;
  if (!names.includes(chosen)) throw new CliError(`"${name}" is not on ${chosen}.`, 2);
  return chosen;
}

function readEvent(path: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'));
    if (typeof event === 'object' && event !== null) return event as Record<string, unknown>;
  } catch (error) {
    throw new CliError(`cannot read an event from ${path}: ${(error as Error).message}`, 2);
  }
  throw new CliError(`cannot read an event from ${path}: it is no JSON object`, 2);
}

function describe({ value, basis, matched, clauses, clauses_left_out: more }: NearMisses): string {
  const { events, span, of } = basis;
  if (span === null) return `${plain(value, 200)}\nThere are no recent events to try it on.`;
  const whose = of === 'whole_stream' ? '' : ' that existing rules caught';
  const lines = [
    out.bold(plain(value, 200)),
    `It matches ${matched} of ${counted(events, 'recent event')}${whose}, from ${span.from} to ${span.to}.`,
  ];
  for (const { text, missed, samples } of clauses) {
    lines.push('', `${counted(missed, 'event')} ${missed === 1 ? 'fails' : 'fail'} by ${out.bold(plain(text))} alone`);
    for (const { at, payload } of samples) lines.push(`  ${out.dim(at)}  ${plain(textOf(payload), 200)}`);
  }
  if (more !== undefined) lines.push('', `The rule has ${counted(more, 'clause')} more, which kept fewer events out.`);
  return lines.join('\n');
}

function textOf(payload: Record<string, unknown>): string {
  const { text } = (payload['data'] ?? {}) as { text?: unknown };
  return [text, payload['title'], payload['url']].find((one) => typeof one === 'string') ?? '';
}

/** `sluice explain`: why a stored match matched, by the parts of its rule. */
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

/** A rule's parts for people: which of them are true of an event, one a line. */
type ExplainedPart = Answer<'explainMatch'>['explanation'];

export function viewParts({ label, holds, of, near = [] }: ExplainedPart, depth = 0): string[] {
  const mark = holds ? out.green('yes') : out.red('no ');
  const instead = near.length === 0 ? '' : out.dim(`  (there: ${near.map((word) => plain(word)).join(', ')})`);
  return [
    `${mark} ${'  '.repeat(depth)}${plain(label, 200)}${instead}`,
    ...of.flatMap((part) => viewParts(part, depth + 1)),
  ];
}
