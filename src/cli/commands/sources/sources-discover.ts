/** `sluice sources discover`: what can be watched at an address, with the newest events of each, and the fittest added. */
import { Command } from 'commander';
import type { Answer } from '../../../../packages/client/src/index.ts';
import { out } from '../../colours.ts';
import { connectServer } from '../../connect.ts';
import { CliError, plain, printJson } from '../../output.ts';

type Found = Answer<'discoverSource'>['candidates'][number];

export const discoverCommand = (): Command =>
  new Command('discover')
    .argument('<url>', 'any address: a site, a channel, an account or a page')
    .description('have the server look what can be watched at an address, the fittest first')
    .option('--add', 'add the fittest to your account')
    .option('--json', 'print JSON')
    .action(async (url: string, { add, json }: { add?: true; json?: true }) => {
      const { client } = connectServer();
      const { candidates } = await client.sources.discover({ url });
      const fittest = candidates.find(({ can_add }) => can_add);
      if (add && fittest === undefined) throw new CliError('Nothing at this address can be added here.');
      const { kind = '', name = '', options = {} } = fittest ?? {};
      const added = add ? await client.sources.create({ kind, name, options }) : undefined;
      if (json) return printJson({ candidates, ...added });
      console.log(candidates.map(describe).join('\n\n'));
      if (added) console.log(`\n${plain(name, 200)} is ${added.source_id}. The server visits it now.`);
    });

function describe({ kind, name, about, options, samples, rate_per_day: rate, problem }: Found): string {
  const often = rate === null ? '' : `  ${out.dim(`about ${rate} a day`)}`;
  return [
    `${out.bold(plain(name, 160))}  ${kind}${often}`,
    `  ${plain(about, 160)}: ${plain(JSON.stringify(options), 300)}`,
    ...(problem === null ? [] : [`  ${out.yellow(plain(problem, 200))}`]),
    ...samples.map(({ title, url }) => `  - ${plain([title, url].find((one) => typeof one === 'string') ?? '', 160)}`),
  ].join('\n');
}
