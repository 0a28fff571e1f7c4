/** `sluice changes`: the audit log of the account. */
import { Command, Option } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { CHANGE_KINDS } from '../../domain/change.ts';
import { connectServer } from '../connect.ts';
import { plain, printJson, table } from '../output.ts';
import { pastOption } from '../time-option.ts';

interface ChangesOptions {
  readonly kind?: (typeof CHANGE_KINDS)[number];
  readonly id?: string;
  readonly since?: string;
  readonly limit: string;
  readonly json?: true;
}

type Change = Answer<'listChanges'>['changes'][number];

export function changesCommand(): Command {
  return new Command('changes')
    .description('show who changed rules, webhooks, keys and the account, newest first')
    .addOption(new Option('--kind <kind>', 'changes of one kind').choices(CHANGE_KINDS))
    .option('--id <id>', 'changes of one rule, webhook or key')
    .addOption(pastOption('--since <time>', 'changes from then on'))
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print JSON, as List Changes answers')
    .action(async ({ json, limit, ...filter }: ChangesOptions) => {
      const { client } = connectServer();
      const answer = await client.changes({ ...filter, limit: Number(limit) });
      if (json) return printJson(answer);
      const rows = answer.changes.map((one) => [one.at, byOf(one), one.what, one.id, differenceOf(one)]);
      console.log(rows.length === 0 ? 'No changes.' : table(['AT', 'BY', 'WHAT', 'ID', 'CHANGED'], rows));
    });
}

const byOf = ({ by }: Change): string => (by.key_name === undefined ? by.kind : plain(`${by.kind} ${by.key_name}`, 40));

/** The names of the fields that a change set; values are in the JSON. */
const differenceOf = ({ before, after }: Change): string =>
  before === undefined || after === undefined ? '' : Object.keys(after).join(', ');
