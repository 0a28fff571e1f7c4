/** `sluice rules update`, `sluice rules pause` and `sluice rules resume`. */
import { Command } from 'commander';
import type { Input } from '../../../packages/client/src/index.ts';
import { connectServer, describingTexts, findRule, warnOfDeadTexts } from '../connect.ts';
import { CliError, counted, plain, printJson } from '../output.ts';

interface UpdateOptions {
  readonly name?: string;
  readonly intent?: string;
  /** `false` takes the rule off the platform. */
  readonly x?: string | false;
  readonly firehose?: string | false;
  readonly quality?: boolean;
  readonly nsfw?: boolean;
  readonly json?: true;
}

export const updateRuleCommand = (): Command =>
  new Command('update')
    .argument('<rule>', 'id or name')
    .description('change a rule; what no flag names stays as it is')
    .option('--name <name>', 'another name')
    .option('--intent <text>', 'what it is for, in plain words')
    .option('--x <rule>', "the rule for posts, in X's language")
    .option('--no-x', 'take it off x')
    .option('--firehose <rule>', "the rule for web pages, in Firehose's language")
    .option('--no-firehose', 'take it off firehose')
    .option('--quality', 'pages: only recent articles, no pagination, tag or query-string pages')
    .option('--no-quality', 'pages: all of them')
    .option('--nsfw', 'pages: adult ones, too')
    .option('--no-nsfw', 'pages: no adult ones')
    .option('--json', 'print JSON, as Update Rule answers')
    .addHelpText('after', "\n  sluice rules update Volcanoes --x '(volcano OR lava) erupting -film'")
    .action(update);

async function update(idOrName: string, options: UpdateOptions): Promise<void> {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) throw new CliError('Say what to change, for instance --name or --x.', 2);
  const { client } = connectServer();
  const { id } = await findRule(client, idOrName);
  const rule = await describingTexts(changes.overrides ?? {}, () => client.rules.update({ rule_id: id, ...changes }));
  if (options.json) printJson(rule);
  else {
    console.log(`Updated "${plain(rule.name)}" (${rule.id}), now version ${rule.version}.`);
    warnOfDeadTexts(rule.platforms);
  }
}

function changesOf({ name, intent, x, firehose, quality, nsfw }: UpdateOptions): Omit<Input<'updateRule'>, 'rule_id'> {
  const overrides = {
    ...(x !== undefined && { x: x === false ? null : x }),
    ...(firehose !== undefined && { firehose: firehose === false ? null : firehose }),
  };
  const flags = { ...(quality !== undefined && { quality }), ...(nsfw !== undefined && { nsfw }) };
  return {
    ...(name !== undefined && { name }),
    ...(intent !== undefined && { intent }),
    ...(Object.keys(overrides).length > 0 && { overrides }),
    ...(Object.keys(flags).length > 0 && { options: { firehose: flags } }),
  };
}

export const pauseRulesCommand = (): Command =>
  pausing('pause', true).description('stop matching; a paused rule keeps its matches and gets no new ones');

export const resumeRulesCommand = (): Command => pausing('resume', false).description('go on matching paused rules');

const pausing = (name: 'pause' | 'resume', paused: boolean): Command =>
  new Command(name)
    .argument('<rules...>', 'ids or names')
    .option('--json', 'print JSON')
    .action(async (idsOrNames: string[], { json }: { json?: true }) => {
      const { client } = connectServer();
      // All are found before any is changed: a typing error in the last changes nothing.
      const rules = await Promise.all([...new Set(idsOrNames)].map((idOrName) => findRule(client, idOrName)));
      for (const { id } of rules) await client.rules.update({ rule_id: id, paused });
      if (json) return printJson({ [`${name}d`]: rules.map(({ id }) => id) });
      console.log(
        `${counted(rules.length, 'rule')} ${name}d: ${rules.map((rule) => `"${plain(rule.name)}"`).join(', ')}.`,
      );
    });
