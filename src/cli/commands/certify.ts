/** `sluice certify`: fetches a certificate of what a rule matched in a span, or that it matched nothing. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { connectServer } from '../connect.ts';
import { findRule } from '../find-rule.ts';
import { printJson } from '../output.ts';
import { pastOption } from '../time-option.ts';
import { proofFileOf } from './verify.ts';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly output?: string;
  readonly json?: true;
}

export function certifyCommand(): Command {
  return new Command('certify')
    .description('get a signed statement of what was read for a rule in a span of time, and what matched')
    .argument('<rule>', 'id or name')
    .addOption(pastOption('--from <time>', 'its beginning').makeOptionMandatory())
    .addOption(pastOption('--to <time>', 'its end, at most 31 days later').makeOptionMandatory())
    .option('-o, --output <file>', 'where to write it; standard output without it')
    .option('--json', 'print JSON, as Certify answers')
    .action(async (name: string, { from, to, output, json }: Options) => {
      const { client } = connectServer();
      const rule = await findRule(client, name);
      const answer = await client.rules.certify({ rule_id: rule.id, from, to });
      const { certificate, matches, log } = answer;
      if (output !== undefined) {
        writeFileSync(output, certificate);
        writeFileSync(proofFileOf(output), `${JSON.stringify(log, null, 2)}\n`);
      }
      if (json) return printJson(answer);
      if (output === undefined) return void process.stdout.write(certificate);
      console.log(`${output} is written, and its proof beside it. Matches in it: ${matches}.`);
    });
}
