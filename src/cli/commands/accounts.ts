/** `sluice accounts`: who owns rules, matches and keys. Works on the store itself, whether a server runs or not. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type AccountSettings, openAdmin } from '../../app/admin.ts';
import { type Account, PLANS, type Plan } from '../../domain/account.ts';
import { CliError, plain, printJson, table } from '../output.ts';

interface Options {
  readonly plan?: Plan;
  readonly xRules?: number;
  readonly xBudget?: number | 'none';
  readonly json?: true;
}

export function accountsCommand(): Command {
  return new Command('accounts')
    .description('create, list and change accounts')
    .addCommand(
      withLimits(new Command('create').argument('<name>').description('create an account'))
        .addOption(asJson())
        .action(create),
    )
    .addCommand(new Command('list').description('list all accounts').addOption(asJson()).action(list))
    .addCommand(
      withLimits(new Command('set').argument('<name>', 'name or id'))
        .description('change the plan or the limits of an account')
        .addOption(asJson())
        .action(set),
    );
}

const asJson = () => new Option('--json', 'print JSON');

const withLimits = (command: Command): Command =>
  command
    .addOption(new Option('--plan <plan>', 'free: syntax help, validation and preview; paid: rules too').choices(PLANS))
    .addOption(new Option('--x-rules <count>', 'how many rules on x it may have').argParser(wholeNumber))
    .addOption(new Option('--x-budget <amount>', 'what it may spend on x in a month, or none').argParser(amount));

async function create(name: string, options: Options): Promise<void> {
  await using admin = await openAdmin(process.env);
  print([await admin.addAccount(name, settingsOf(options))], options);
}

async function list(options: Options): Promise<void> {
  await using admin = await openAdmin(process.env);
  print(await admin.accounts(), options);
}

async function set(name: string, options: Options): Promise<void> {
  const change = settingsOf(options);
  if (Object.keys(change).length === 0) throw new CliError('Say what to change: --plan, --x-rules or --x-budget.', 2);
  await using admin = await openAdmin(process.env);
  print([await admin.changeAccount(name, change)], options);
}

const settingsOf = ({ plan, xRules, xBudget }: Options): AccountSettings => ({
  ...(plan !== undefined && { plan }),
  ...(xRules !== undefined && { xRules }),
  ...(xBudget !== undefined && { xBudget: xBudget === 'none' ? null : xBudget }),
});

function print(accounts: readonly Account[], { json }: Options): void {
  if (json) {
    printJson(
      accounts.map(({ id, name, plan, xRules, xBudget = null, createdAt }) => ({
        id,
        name,
        plan,
        x_rules: xRules,
        x_budget: xBudget,
        created_at: createdAt,
      })),
    );
    return;
  }
  const rows = accounts.map(({ id, name, plan, xRules, xBudget, createdAt }) => [
    plain(name),
    id,
    plan,
    String(xRules),
    xBudget?.toFixed(2) ?? 'none',
    createdAt.toISOString(),
  ]);
  console.log(table(['NAME', 'ID', 'PLAN', 'X RULES', 'X BUDGET', 'CREATED'], rows));
}

/** Commander turns a parser's null into an empty text, so `none` stays a word here. */
function amount(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(text))
    throw new InvalidArgumentError('It must be an amount such as 50 or 12.50, or none.');
  return Number(text);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
