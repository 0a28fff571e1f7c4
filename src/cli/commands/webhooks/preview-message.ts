/** `sluice webhooks preview`: what a template makes of a real match. */
import { Command, Option } from 'commander';
import type { Input } from '../../../../packages/client/src/index.ts';
import { connectServer } from '../../connect.ts';
import { CliError, plain, printJson } from '../../output.ts';
import { templateIn } from '../../text-file.ts';

type Format = Input<'previewMessage'>['format'];
const FORMATS: readonly Format[] = ['slack', 'discord', 'telegram', 'ntfy', 'teams', 'matrix', 'email', 'feed'];
/** No message is longer. */
const LONGEST = 100_000;

interface PreviewOptions {
  readonly format: Format;
  readonly template?: string;
  readonly templateFile?: string;
  readonly match?: string;
  readonly digest?: true;
  readonly json?: true;
}

export const previewCommand = (): Command =>
  new Command('preview')
    .description('write one message by a template, and send nothing')
    .addOption(new Option('--format <format>', 'the channel that it is for').choices(FORMATS).makeOptionMandatory())
    .option('--template <text>', 'the template, in Liquid')
    .addOption(
      new Option('--template-file <file>', 'the same from a file; - reads standard input').conflicts('template'),
    )
    .option('--match <id>', 'a match; the newest one when it is left out')
    .option('--digest', 'a digest of the newest matches instead')
    .addOption(new Option('--json', 'print JSON'))
    .action(preview);

async function preview({ format, match, digest, json, ...options }: PreviewOptions): Promise<void> {
  const template = options.template ?? templateIn(options.templateFile);
  if (template === undefined) throw new CliError('Give --template or --template-file.', 2);
  const answer = await connectServer().client.webhooks.preview({
    format,
    template,
    ...(match !== undefined && { match_id: match }),
    ...(digest && { digest }),
  });
  if (json) return printJson(answer);
  // A terminal would show the invisible spaces that keep addresses from being links.
  for (const line of answer.text.replaceAll('\u200b', '').split('\n')) console.log(plain(line, LONGEST));
  if (answer.sample) console.error('There is no match yet: this one is invented.');
}
