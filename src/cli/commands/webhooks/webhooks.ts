/** `sluice webhooks`: addresses that are sent matches, and what became of what they were sent. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Client, Delivery, Input, Webhook } from '../../../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../../../domain/platform.ts';
import { NOTICE_KINDS, type NoticeKind, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../../domain/webhook.ts';
import { connectServer, ruleIdOf } from '../../connect.ts';
import { CliError, counted, out, plain, printJson, table } from '../../output.ts';
import { confirmed } from '../../terminal.ts';
import { fileText, templateIn } from '../../text-file.ts';
import { pastOption } from '../../time-option.ts';
import { wholeNumber } from '../matches.ts';
import { previewCommand } from './preview-message.ts';

const WAKES = ['match', 'story'] as const;
const STATUSES = ['pending', 'delivered', 'failed'] as const;

type QuietHours = NonNullable<NonNullable<Input<'createWebhook'>['wake']>['quiet']>;

interface Chosen {
  readonly url?: string;
  readonly rule?: string[];
  readonly platform?: Platform[];
  readonly source?: string[];
  readonly description?: string;
  readonly event?: (typeof WEBHOOK_EVENTS)[number][];
  readonly format?: (typeof WEBHOOK_FORMATS)[number];
  readonly credentialFile?: string;
  readonly every?: string;
  readonly wake?: 'match' | 'story';
  readonly atMost?: string;
  readonly minRelevance?: number;
  readonly quiet?: QuietHours;
  readonly digest?: { readonly at: string; readonly zone?: string };
  readonly digestWaiting?: number;
  /** False: messages are written in the usual way again. */
  readonly template?: string | false;
  readonly templateFile?: string;
  readonly notice?: NoticeKind[];
  readonly noticeQuiet?: QuietHours;
  readonly json?: true;
}

interface Changes extends Chosen {
  readonly all?: true;
  readonly wakeAlways?: true;
  readonly noticeAlways?: true;
  readonly pause?: true;
  readonly resume?: true;
  readonly rotateSecret?: true;
}

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks').description('send matches to an address as they come in');
  const commands = [
    createCommand(),
    new Command('list').description('list all webhooks').addOption(json()).action(list),
    updateCommand(),
    deleteCommand(),
    testCommand(),
    deliveriesCommand(),
    redeliverCommand(),
    rehearseCommand(),
    previewCommand(),
  ];
  return commands.reduce((all, command) => all.addCommand(command), webhooks);
}

const deleteCommand = (): Command =>
  new Command('delete')
    .argument('<webhook>', 'its id')
    .description('delete a webhook')
    .option('-y, --yes', 'do not ask')
    .addOption(json())
    .action(remove);

const testCommand = (): Command =>
  new Command('test')
    .argument('<webhook>', 'its id')
    .description('send it a made-up match, now')
    .addOption(json())
    .addHelpText('after', '\nExit status: 0 when it was delivered, 1 when it was not.')
    .action(test);

const deliveriesCommand = (): Command =>
  new Command('deliveries')
    .argument('[webhook]', 'the id of one webhook')
    .description('show what was sent, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .addOption(new Option('--limit <count>', 'how many at most').argParser(wholeNumber).default(20))
    .addOption(json())
    .action(deliveries);

const redeliverCommand = (): Command =>
  new Command('redeliver')
    .argument('<webhook>', 'its id')
    .description('send again: one delivery, or everything since a time')
    .option('--delivery <id>', 'one delivery')
    .addOption(pastOption('--since <time>', 'everything since'))
    .addOption(json())
    .action(redeliver);

const rehearseCommand = (): Command =>
  withContract(new Command('rehearse'))
    .description('say what a wake contract would have made of stored matches')
    .requiredOption('--rule <rules...>', 'of these rules (ids or names)')
    .addOption(pastOption('--since <time>', 'matches stored since; the last week when it is left out'))
    .addOption(json())
    .action(rehearse);

const json = () => new Option('--json', 'print JSON');

/** The options that `create` and `update` share. */
const withChoices = (command: Command): Command =>
  command
    .option('--rule <rules...>', 'only matches of these rules (ids or names)')
    .addOption(new Option('--platform <names...>', 'only matches of these platforms').choices(PLATFORMS))
    .option('--source <ids...>', 'only matches of what these sources brought')
    .option('--description <text>', 'what it is for')
    .addOption(
      new Option('--event <events...>', 'what it is told of; matches when it is left out').choices(WEBHOOK_EVENTS),
    )
    .addOption(new Option('--format <format>', 'what the body is').choices(WEBHOOK_FORMATS))
    .option('--credential-file <file>', 'a file with what signs in at the receiver; - reads standard input')
    .option('--every <span>', 'collect matches and send them together, for instance 15m')
    .addOption(new Option('--notice <kinds...>', 'only operational events of these kinds').choices(NOTICE_KINDS))
    .addOption(
      new Option('--notice-quiet <hours>', 'send no operational events in these hours; they come after').argParser(
        quietHours,
      ),
    )
    .option('--template <text>', 'how messages of a chat or an e-mail are written; `webhooks preview` tries it')
    .addOption(
      new Option('--template-file <file>', 'the same from a file; - reads standard input').conflicts('template'),
    )
    .addOption(json());

const withContract = (command: Command): Command =>
  command
    .addOption(
      new Option('--wake <unit>', 'wake for every match, or once for a story; a digest has the rest').choices(WAKES),
    )
    .option('--at-most <limit>', 'wake so often at most, for instance 5/day or 20/hour')
    .addOption(
      new Option('--min-relevance <number>', 'wake for matches of this relevance or more, from 0 to 1').argParser(
        share,
      ),
    )
    .addOption(
      new Option(
        '--quiet <hours>',
        'wake nobody in these hours, for instance 22:00-07:00@Europe/Berlin,sat,sun',
      ).argParser(quietHours),
    )
    .addOption(
      new Option('--digest <time>', 'tell what was held at this time, for instance 08:00@Europe/Berlin').argParser(
        digestTime,
      ),
    )
    .addOption(new Option('--digest-waiting <count>', 'tell it as soon as so many wait').argParser(wholeNumber));

const createCommand = (): Command =>
  withContract(withChoices(new Command('create').argument('<url>', 'where to send matches')))
    .description('make a webhook; its secret is shown once')
    .action(create);

const updateCommand = (): Command =>
  withContract(
    withChoices(new Command('update').argument('<webhook>', 'its id').option('--url <url>', 'another address')),
  )
    .description('change, pause or resume a webhook, or change its secret')
    .option('--all', 'matches of all rules, platforms and sources again, as they come')
    .addOption(new Option('--wake-always', 'wake for every match again').conflicts('wake'))
    .option('--no-template', 'write messages in the usual way again')
    .addOption(
      new Option('--notice-always', 'all operational events again, at once').conflicts(['notice', 'noticeQuiet']),
    )
    .option('--pause', 'let matches wait')
    .addOption(new Option('--resume', 'go on, also after it was disabled').conflicts('pause'))
    .option('--rotate-secret', 'make a new secret; for a day both sign')
    .action(update);

async function choicesOf(client: Client, options: Chosen) {
  const { rule, platform, source, description, event, format, credentialFile, every, template } = options;
  const { notice: kinds, noticeQuiet } = options;
  const wake = wakeOf(options);
  const text = template || templateIn(options.templateFile);
  return {
    ...(rule !== undefined && { rule_ids: await Promise.all(rule.map((one) => ruleIdOf(client, one))) }),
    ...(platform !== undefined && { platforms: platform }),
    ...(source !== undefined && { sources: source }),
    ...(description !== undefined && { description }),
    ...(event !== undefined && { events: event }),
    ...(format !== undefined && { format }),
    ...(credentialFile !== undefined && { credential: credentialIn(credentialFile) }),
    ...(every !== undefined && { batch: { every } }),
    ...(wake !== undefined && { wake }),
    ...((kinds ?? noticeQuiet) !== undefined && {
      notices: { ...(kinds && { kinds }), ...(noticeQuiet && { quiet: noticeQuiet }) },
    }),
    ...(template === false ? { template: null } : text !== undefined && { template: text }),
  };
}

/** A secret on the command line would be seen in the list of processes. */
const credentialIn = (file: string): string => fileText(file, 'credential').trim();

function share(text: string): number {
  if (!/^(0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(text)) throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return Number(text);
}

/** The server says what is wrong with times, zones and days. */
function quietHours(text: string): QuietHours {
  const [, from, to, zone, days = ''] = /^([\d:]+)-([\d:]+)@([^,]+)((?:,\w+)*)$/.exec(text) ?? [];
  if (from === undefined || to === undefined || zone === undefined)
    throw new InvalidArgumentError('It must be hours and a time zone, such as 22:00-07:00@Europe/Berlin.');
  return { from, to, zone, ...(days !== '' && { days: days.slice(1).split(',') as NonNullable<QuietHours['days']> }) };
}

function digestTime(text: string): { at: string; zone?: string } {
  const [at = '', zone] = text.split('@');
  return { at, ...(zone !== undefined && { zone }) };
}

function wakeOf({ wake, atMost, minRelevance, quiet, digest, digestWaiting }: Chosen) {
  if ([wake, atMost, minRelevance, quiet, digest, digestWaiting].every((term) => term === undefined)) return undefined;
  const told = { ...digest, ...(digestWaiting !== undefined && { when_waiting: digestWaiting }) };
  return {
    per: wake ?? ('match' as const),
    ...(atMost !== undefined && { at_most: atMost }),
    ...(minRelevance !== undefined && { min_relevance: minRelevance }),
    ...(quiet !== undefined && { quiet }),
    ...(Object.keys(told).length > 0 && { digest: told }),
  };
}

async function create(url: string, options: Chosen): Promise<void> {
  const { client } = connectServer();
  const made = await client.webhooks.create({ url, ...(await choicesOf(client, options)) });
  if (options.json) return printJson(made);
  console.log(`Created ${made.webhook_id}.`);
  if (made.reason !== null) console.log(`It is ${made.status}: ${plain(made.reason, 500)}`);
  printSecret(made.secret);
}

async function list(options: { json?: true }): Promise<void> {
  const answer = await connectServer().client.webhooks.list();
  if (options.json) return printJson(answer);
  if (answer.webhooks.length === 0)
    return console.log('There are no webhooks yet. `sluice webhooks create` makes one.');
  console.log(table(['ID', 'URL', 'STATUS', 'WANTS', 'FORMAT', 'DESCRIPTION'], answer.webhooks.map(rowOf)));
  for (const { id, wake, wake_account } of answer.webhooks)
    if (wake !== null && wake_account !== null) console.log(`\n${id}: ${wakeLine(wake, wake_account)}`);
  for (const { id, reason } of answer.webhooks) if (reason !== null) console.log(`\n${id}: ${plain(reason, 500)}`);
}

/** "per story, at most 5/day. Today: 3 wakes, 41 held, 2 stories." */
function wakeLine(
  { per, at_most, min_relevance, quiet, digest }: NonNullable<Webhook['wake']>,
  { window_from, wakes, held, stories }: NonNullable<Webhook['wake_account']>,
): string {
  const terms = [
    `wakes per ${per}`,
    ...(at_most === null ? [] : [`at most ${at_most}`]),
    ...(min_relevance === null ? [] : [`relevance ${min_relevance} or more`]),
    ...(quiet === undefined
      ? []
      : [`not from ${quiet.from} to ${quiet.to} in ${[quiet.zone, ...(quiet.days ?? [])].join(' ')}`]),
    ...(digest?.at === undefined ? [] : [`digest at ${digest.at} in ${digest.zone}`]),
    ...(digest?.when_waiting === undefined ? [] : [`digest when ${digest.when_waiting} wait`]),
  ];
  const since = `Since ${window_from.slice(0, 16).replace('T', ' ')} UTC`;
  const counts = [counted(wakes, 'wake'), `${held} held`, `${stories} ${stories === 1 ? 'story' : 'stories'}`];
  return `${terms.join(', ')}. ${since}: ${counts.join(', ')}.`;
}

function rowOf(webhook: Webhook): string[] {
  const { id, url, status, failing_since, rule_ids, platforms, sources, events, format, batch, description } = webhook;
  const wants = [
    ...(events.includes('operational') ? ['operational events'] : []),
    ...(events.includes('head') ? ['heads'] : []),
    ...(events.includes('match') ? [rule_ids === null ? 'all rules' : rule_ids.join(',')] : []),
    ...(platforms === null ? [] : [platforms.join(',')]),
    ...(sources === null ? [] : [sources.join(',')]),
    ...(batch === null ? [] : [`every ${batch.every}`]),
  ];
  const state = failing_since === null ? status : `${status}, failing since ${failing_since}`;
  return [id, plain(url), state, wants.join(' '), format, plain(description)];
}

async function update(id: string, options: Changes): Promise<void> {
  const { client } = connectServer();
  const change: Omit<Input<'updateWebhook'>, 'webhook_id'> = {
    ...(options.all && { rule_ids: null, platforms: null, sources: null, batch: null }),
    ...(await choicesOf(client, options)),
    ...(options.wakeAlways && { wake: null }),
    ...(options.noticeAlways && { notices: null }),
    ...(options.url !== undefined && { url: options.url }),
    ...(options.pause && { paused: true }),
    ...(options.resume && { paused: false }),
    ...(options.rotateSecret && { rotate_secret: true }),
  };
  if (Object.keys(change).length === 0) throw new CliError('Say what to change; --help shows what there is.', 2);
  const webhook = await client.webhooks.update({ webhook_id: id, ...change });
  if (options.json) return printJson(webhook);
  console.log(`The webhook ${webhook.id} is ${webhook.status}.`);
  if (webhook.secret !== undefined) printSecret(webhook.secret);
}

async function rehearse(options: Chosen & { readonly rule: string[]; readonly since?: string }): Promise<void> {
  const { client } = connectServer();
  const rule_ids = await Promise.all(options.rule.map((one) => ruleIdOf(client, one)));
  const answer = await client.webhooks.rehearse({
    rule_ids,
    wake: wakeOf(options) ?? {},
    ...(options.since !== undefined && { from: options.since }),
  });
  if (options.json) return printJson(answer);
  const { matches, wake_count, held, digest_count } = answer;
  console.log(
    `${matches} ${matches === 1 ? 'match' : 'matches'}: ${counted(wake_count, 'wake')}, ${held} held for ${counted(digest_count, 'digest')}.`,
  );
  if (answer.wakes.length > 0)
    console.log(
      `\n${table(
        ['AT', 'MATCHES', 'BECAUSE'],
        answer.wakes.map((one) => [one.at, String(one.matches), one.because]),
      )}`,
    );
}

const printSecret = (secret: string): void =>
  console.log(`\n${secret}\n\nThis is the secret that signs deliveries. It is shown this once: keep it safe.`);

async function remove(id: string, options: { yes?: true; json?: true }): Promise<void> {
  const { client } = connectServer();
  if (!(await confirmed(`Delete the webhook ${id}?`, options.yes))) return console.log('Nothing was done.');
  await client.webhooks.delete({ webhook_id: id });
  if (options.json) printJson({ deleted: id });
  else console.log(`The webhook ${id} is deleted.`);
}

async function test(id: string, options: { json?: true }): Promise<void> {
  const attempt = await connectServer().client.webhooks.test({ webhook_id: id });
  if (options.json) printJson(attempt);
  else if (attempt.delivered) console.log(`Delivered: status ${attempt.status_code} after ${attempt.milliseconds} ms.`);
  else console.log(`${out.red('Not delivered:')} ${plain(attempt.error ?? '', 500)} ${plain(attempt.response, 200)}`);
  process.exitCode = attempt.delivered ? 0 : 1;
}

interface DeliveryOptions {
  readonly status?: (typeof STATUSES)[number];
  readonly limit: number;
  readonly json?: true;
}

async function deliveries(id: string | undefined, { status, limit, json: asJson }: DeliveryOptions): Promise<void> {
  const answer = await connectServer().client.webhooks.deliveries({
    ...(id !== undefined && { webhook_id: id }),
    ...(status !== undefined && { status }),
    limit,
  });
  if (asJson) return printJson(answer);
  console.log(
    table(['ID', 'CREATED', 'STATUS', 'MATCHES', 'ATTEMPTS', 'LAST ANSWER'], answer.deliveries.map(deliveryRow)),
  );
}

export function deliveryRow({ id, created_at, status, matches, attempts, reason, note }: Delivery): string[] {
  const last = attempts.at(-1);
  const said = reason ?? last?.error ?? note ?? (last === undefined ? '' : `status ${last.status_code}`);
  return [id, created_at, status, String(matches), String(attempts.length), plain(said, 80)];
}

interface RedeliverOptions {
  readonly delivery?: string;
  readonly since?: string;
  readonly json?: true;
}

async function redeliver(id: string, { delivery, since, json: asJson }: RedeliverOptions): Promise<void> {
  if ((delivery === undefined) === (since === undefined)) throw new CliError('Say either --delivery or --since.', 2);
  const answer = await connectServer().client.webhooks.redeliver({
    webhook_id: id,
    ...(delivery !== undefined && { delivery_id: delivery }),
    ...(since !== undefined && { since }),
  });
  if (asJson) printJson(answer);
  else console.log(`${answer.deliveries} deliveries and ${answer.matches} matches that were in none go out.`);
}
