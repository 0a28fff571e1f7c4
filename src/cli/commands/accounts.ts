/** `sluice accounts`: who owns rules, matches and keys. Works on the store itself, whether a server runs or not. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type AccountSettings, openAdmin, type ShownAccount } from '../../app/admin.ts';
import {
  ACCOUNT_LIMIT_CODES,
  type Account,
  type AccountLimit,
  type AccountLimitChange,
  PLANS,
  type Plan,
} from '../../domain/account.ts';
import { CliError, facts, plain, printJson, table } from '../output.ts';

interface Options {
  readonly plan?: Plan;
  readonly xRules?: number;
  readonly xBudget?: number | 'none';
  readonly limit?: AccountLimitChange;
  readonly reason?: string;
  readonly json?: true;
}

export function accountsCommand(): Command {
  return new Command('accounts')
    .description('create, list, change and suspend accounts')
    .addCommand(withPlan(new Command('create').argument('<name>').description('create an account')).action(create))
    .addCommand(new Command('list').description('list all accounts').addOption(asJson()).action(list))
    .addCommand(setCommand())
    .addCommand(named('show', 'show an account, the limits that hold for it and what is stored for it').action(show))
    .addCommand(
      named('suspend', 'let an account rest: its rules match nothing and its keys are refused; nothing is lost')
        .option('--reason <text>', 'shown to the account, and kept in its audit log')
        .action(suspend),
    )
    .addCommand(named('resume', 'let a suspended account go on').action(resume));
}

const named = (name: string, about: string): Command =>
  new Command(name).argument('<name>', 'name or id').description(about).addOption(asJson());

const setCommand = (): Command =>
  withPlan(new Command('set').argument('<name>', 'name or id'))
    .description('change the plan or the limits of an account')
    .addOption(
      new Option(
        '--limit <code=value>',
        'a limit of its own: a number, off for none, or usual to lift it; may be given again',
      ).argParser(limits),
    )
    .addHelpText('after', `\nLimits that an account may have of its own: ${ACCOUNT_LIMIT_CODES.join(', ')}.`)
    .action(set);

const asJson = () => new Option('--json', 'print JSON');

const withPlan = (command: Command): Command =>
  command
    .addOption(asJson())
    .addOption(new Option('--plan <plan>', 'free: syntax help, validation and preview; paid: rules too').choices(PLANS))
    .addOption(new Option('--x-rules <count>', 'how many rules on x it may have').argParser(wholeNumber))
    .addOption(new Option('--x-budget <amount>', 'what it may spend on x in a month, or none').argParser(amount));

async function create(name: string, options: Options): Promise<void> {
  await using admin = await openAdmin(process.env);
  print([await admin.addAccount(name, settingsOf(options))], options);
}

async function list(options: Options): Promise<void> {
  await using admin = await openAdmin(process.env, { mustExist: true });
  print(await admin.accounts(), options);
}

async function set(name: string, options: Options): Promise<void> {
  const change = settingsOf(options);
  const isChanged = Object.keys(change).length > 0;
  if (!isChanged && options.limit === undefined)
    throw new CliError('Say what to change: --plan, --x-rules, --x-budget or --limit.', 2);
  await using admin = await openAdmin(process.env, { mustExist: true });
  if (isChanged) await admin.changeAccount(name, change);
  if (options.limit !== undefined) await admin.changeLimits(name, options.limit);
  const shown = await admin.show(name);
  if (options.json) print([shown.account], options);
  else console.log(described(shown));
}

async function show(name: string, { json }: Options): Promise<void> {
  await using admin = await openAdmin(process.env, { mustExist: true });
  const shown = await admin.show(name);
  if (!json) {
    console.log(described(shown));
    return;
  }
  const held = Object.fromEntries(Object.entries(shown.limits).map(([code, limit]) => [code, limit ?? null]));
  printJson({
    ...toJson(shown.account),
    limits_that_hold: held,
    stored_matches: shown.stored.matches,
    storage_bytes: shown.stored.bytes,
  });
}

async function suspend(name: string, options: Options): Promise<void> {
  const reason = options.reason ?? '';
  if (reason.length > MOST_REASON) throw new CliError(`A reason has ${MOST_REASON} characters at most.`, 2);
  await using admin = await openAdmin(process.env, { mustExist: true });
  print([await admin.suspend(name, reason)], options);
}

async function resume(name: string, options: Options): Promise<void> {
  await using admin = await openAdmin(process.env, { mustExist: true });
  print([await admin.resume(name)], options);
}

const MOST_REASON = 500;

function described({ account, limits: held, stored }: ShownAccount): string {
  const { suspended } = account;
  const about = facts([
    ['name', plain(account.name)],
    ['id', account.id],
    ['plan', account.plan],
    ['x rules', String(account.xRules)],
    ['x budget', account.xBudget?.toFixed(2) ?? 'none'],
    [
      'suspended',
      suspended === undefined ? 'no' : plain(`since ${suspended.at.toISOString()} ${suspended.reason}`, 200),
    ],
    ['stored', `${stored.matches} matches, about ${stored.bytes} bytes`],
  ]);
  const rows = ACCOUNT_LIMIT_CODES.map((code) => [
    code,
    String(held[code] ?? 'off'),
    account.limits?.[code] === undefined ? '' : 'its own',
  ]);
  return `${about}\n\n${table(['LIMIT', 'VALUE', ''], rows)}`;
}

const settingsOf = ({ plan, xRules, xBudget }: Options): AccountSettings => ({
  ...(plan !== undefined && { plan }),
  ...(xRules !== undefined && { xRules }),
  ...(xBudget !== undefined && { xBudget: xBudget === 'none' ? null : xBudget }),
});

const toJson = ({ id, name, plan, xRules, xBudget, limits: own = {}, suspended, createdAt }: Account) => ({
  id,
  name,
  plan,
  x_rules: xRules,
  x_budget: xBudget ?? null,
  limits: own,
  suspended: suspended ?? null,
  created_at: createdAt,
});

function print(accounts: readonly Account[], { json }: Options): void {
  if (json) {
    printJson(accounts.map(toJson));
    return;
  }
  const rows = accounts.map(({ id, name, plan, xRules, xBudget, suspended, createdAt }) => [
    plain(name),
    id,
    plan,
    String(xRules),
    xBudget?.toFixed(2) ?? 'none',
    createdAt.toISOString(),
    suspended === undefined ? '' : 'suspended',
  ]);
  console.log(table(['NAME', 'ID', 'PLAN', 'X RULES', 'X BUDGET', 'CREATED', ''], rows));
}

/** `--limit streams=5 --limit waits=off`. */
function limits(text: string, before: AccountLimitChange = {}): AccountLimitChange {
  const [code, value = ''] = text.split('=', 2);
  if (!isAdjustable(code)) throw new InvalidArgumentError(`The limits are ${ACCOUNT_LIMIT_CODES.join(', ')}.`);
  if (value === 'usual') return { ...before, [code]: value };
  if (value === 'off') return { ...before, [code]: null };
  if (!/^[1-9]\d{0,14}$/.test(value))
    throw new InvalidArgumentError('Its value must be a whole number above 0, off or usual.');
  return { ...before, [code]: Number(value) };
}

const isAdjustable = (code: string | undefined): code is AccountLimit =>
  ACCOUNT_LIMIT_CODES.some((one) => one === code);

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
