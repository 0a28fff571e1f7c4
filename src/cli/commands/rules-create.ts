/** `sluice rules create`: from flags alone, or by asking for whatever they leave open. */
import { Command } from 'commander';
import type { Client } from '../../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, describeIssue, describingTexts, findSource, warnOfDeadTexts } from '../connect.ts';
import { CliError, counted, err, plain, printJson } from '../output.ts';
import { ask, isInteractive, prompts } from '../terminal.ts';

interface Options {
  readonly name?: string;
  readonly intent?: string;
  readonly x?: string;
  readonly firehose?: string;
  readonly quality?: true;
  readonly nsfw?: boolean;
  readonly surge?: true;
  readonly silence?: true;
  readonly source?: readonly string[];
  readonly json?: true;
}

type Texts = { [name in Platform]?: string };

const LABELS = { x: 'x: posts', firehose: 'firehose: web pages' } satisfies Record<Platform, string>;

export function createRuleCommand(): Command {
  return new Command('create')
    .description('create a rule; what the flags leave open is asked for on a terminal')
    .option('--name <name>', 'what to call it')
    .option('--intent <text>', 'what it is for, in plain words')
    .option('--x <rule>', "the rule for posts, in X's language")
    .option('--firehose <rule>', "the rule for web pages, in Firehose's language")
    .option('--quality', 'pages: only recent articles, no pagination, tag or query-string pages')
    .option('--no-nsfw', 'pages: no adult ones')
    .option('--source <sources...>', 'only what these sources bring (ids or names)')
    .option('--surge', 'watch it for far more matches than usual')
    .option('--silence', 'watch it for unusually long times without a match')
    .option('--json', 'print JSON, as Create Rule answers')
    .addHelpText('after', "\n  sluice rules create --name Volcanoes --x '(volcano OR lava) erupting'")
    .action(create);
}

async function create(options: Options): Promise<void> {
  const { client } = connectServer();
  const given: Texts = {
    ...(options.x !== undefined && { x: options.x }),
    ...(options.firehose !== undefined && { firehose: options.firehose }),
  };
  const isWhole = options.name !== undefined && Object.keys(given).length > 0;
  if (!isWhole && !isInteractive()) throw new CliError(`Say ${missing(options, given)}.`, 2);
  const { name, intent, texts } = isWhole
    ? { name: options.name, intent: options.intent ?? '', texts: given }
    : await askForRule(client, options, given);
  const flags = texts.firehose === undefined ? undefined : flagsOf(options);
  const sources = options.source && (await sourceIds(client, options.source));
  const input = {
    name,
    intent,
    platforms: PLATFORMS.filter((platform) => texts[platform] !== undefined),
    overrides: texts,
    ...((flags !== undefined || sources !== undefined) && {
      options: { ...(flags && { firehose: flags }), ...(sources && { sources }) },
    }),
    ...((options.surge || options.silence) && { alerts: alertsOf(options) }),
  };
  const answer = await describingTexts(texts, () => client.rules.create(input));
  if (options.json) printJson(answer);
  else {
    console.log(`Created ${answer.rule_id}. \`sluice tail --rule ${answer.rule_id}\` shows what it finds.`);
    warnOfDeadTexts(answer.platforms);
    await warnOfSameName(client, name, answer.rule_id);
  }
}

async function sourceIds(client: Client, given: readonly string[]): Promise<string[]> {
  const { sources } = await client.sources.list();
  return given.map((one) => {
    const found = findSource(sources, one);
    if (typeof found === 'string') throw new CliError(found);
    return found.id;
  });
}

/** Two rules of one name are told apart by their ids alone. */
async function warnOfSameName(client: Client, name: string, ruleId: string): Promise<void> {
  const others = (await client.rules.list()).rules.filter((rule) => rule.name === name && rule.id !== ruleId);
  if (others.length > 0)
    console.error(err.yellow(`Another rule is named "${plain(name)}" (${others[0]!.id}): call this one by its id.`));
}

const missing = ({ name }: Options, given: Texts): string =>
  [
    ...(name === undefined ? ['--name'] : []),
    ...(Object.keys(given).length === 0 ? ['--x or --firehose (or both)'] : []),
  ].join(' and ');

/** Only what was said: the rest is left to the platform. */
function flagsOf({ quality, nsfw }: Options): { quality?: boolean; nsfw?: boolean } | undefined {
  const flags = { ...(quality && { quality }), ...(nsfw === false && { nsfw }) };
  return Object.keys(flags).length === 0 ? undefined : flags;
}

const alertsOf = ({ surge = false, silence = false }: { surge?: boolean; silence?: boolean }) => ({ surge, silence });

async function askForRule(client: Client, options: Options, given: Texts) {
  (await prompts()).intro('A new rule');
  const name = options.name ?? (await ask(({ text }) => text({ message: 'Name', validate: required })));
  const intent =
    options.intent ??
    (await ask(({ text }) => text({ message: 'What is it for?', placeholder: 'in plain words', defaultValue: '' })));
  const texts = Object.keys(given).length > 0 ? given : await askForTexts(client);
  await showPreview(client, texts);
  if (!(await ask(({ confirm }) => confirm({ message: 'Create it?' })))) throw new CliError('Nothing was done.');
  return { name, intent, texts };
}

async function askForTexts(client: Client): Promise<Texts> {
  const platforms = await ask(({ multiselect }) =>
    multiselect<Platform>({
      message: 'Where should it look? (space chooses, enter goes on)',
      options: PLATFORMS.map((value) => ({ value, label: LABELS[value] })),
      initialValues: ['x'],
      required: true,
    }),
  );
  const texts: Texts = {};
  for (const platform of platforms) {
    texts[platform] = await ask(({ text }) =>
      text({
        message: `Rule for ${LABELS[platform]}`,
        validate: (value) => required(value) ?? complaint(client, platform, value!),
      }),
    );
  }
  return texts;
}

const required = (value: string | undefined): string | undefined => (value?.trim() ? undefined : 'It is required.');

/** The server's issues with a text, in the words of the command line. */
async function complaint(client: Client, platform: Platform, value: string): Promise<string | undefined> {
  const { valid, issues } = await client.rules.validate({ platform, value });
  return valid ? undefined : issues.map((issue) => describeIssue(issue, value)).join('\n');
}

async function showPreview(client: Client, texts: Texts): Promise<void> {
  const platforms = PLATFORMS.filter((platform) => texts[platform] !== undefined);
  const { platforms: previews } = await client.rules.preview({ platforms, overrides: texts, limit: 1 });
  for (const platform of platforms) {
    const { events, matched, demo_events: invented } = previews[platform]!;
    const note =
      invented === undefined ? '' : ` The demo feed invented ${invented === events ? 'all' : invented} of them.`;
    (await prompts()).log.info(
      `${plain(platform)}: ${matched} of the last ${counted(events, 'event')} would have matched.${note}`,
    );
  }
}
