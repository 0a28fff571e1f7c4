/** `sluice check`: says what is wrong with a rule, where, and how to put it right, without a server. */
import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Diagnostic } from '../../rules/diagnostic.ts';
import { type Language, X_LEVELS, type XLevel } from '../../rules/language.ts';
import { type Suggestion, suggestionFor, suggestionsFor } from '../../rules/suggest.ts';
import { CliError, out, underline } from '../output.ts';

interface Options {
  readonly platform: Platform;
  readonly file?: string;
  readonly level: XLevel;
  readonly json?: true;
}

interface CheckedRule {
  readonly rule: string;
  readonly valid: boolean;
  readonly canonical?: string;
  readonly suggestion?: string;
  readonly diagnostics: readonly CheckedDiagnostic[];
}

/** Each fix as the whole text that it leads to, with what that means. */
type CheckedDiagnostic = Omit<Diagnostic, 'fixes'> & { readonly fixes: readonly Suggestion[] };

export function checkCommand(): Command {
  return (
    new Command('check')
      .description('check rules without a server: the verdict, carets under what is wrong, and the fix')
      .addArgument(new Argument('[rule]', 'the rule text (quote it for the shell)'))
      .addOption(
        new Option('-p, --platform <name>', 'whose language it is in').choices(PLATFORMS).makeOptionMandatory(),
      )
      .option('-f, --file <path>', 'read many rules, one a line or NDJSON with a "value" ("-" is standard input)')
      .addOption(new Option('--level <level>', "X's access level").choices(X_LEVELS).default('payg'))
      .option('--json', 'print one JSON object a rule')
      // A rule may begin with a dash, which must not be taken for an option.
      .allowUnknownOption()
      .addHelpText(
        'after',
        "\nExit status: 0 when every rule is valid, 1 when one is not.\n\n  sluice check -p x 'lava AND magma'\n  sluice check -p firehose -f rules.txt --json",
      )
      .action(async (rule: string | undefined, options: Options) => {
        if ((rule === undefined) === (options.file === undefined))
          throw new CliError('give one rule, or --file with many', 2);
        const language = await languageOf(options);
        const rules = rule === undefined ? readRules(options.file!) : [rule];
        const verdicts = rules.map((text) => verdictOn(text, language));
        for (const verdict of verdicts) console.log(options.json ? JSON.stringify(verdict) : describe(verdict));
        if (!options.json && verdicts.length > 1) console.log(summary(verdicts));
        process.exitCode = verdicts.every((verdict) => verdict.valid) ? 0 : 1;
      })
  );
}

/** Each language builds tables of all characters when it is loaded, so only the one that is asked for is. */
async function languageOf({ platform, level }: Options): Promise<Language> {
  if (platform === 'x') return (await import('../../rules/x/language.ts')).xLanguage({ level });
  return (await import('../../rules/firehose/language.ts')).firehoseLanguage;
}

/** A line is a rule as it stands, or a JSON object whose `value` is the rule; blank lines are passed over. */
function readRules(path: string): string[] {
  // Editors on Windows put a mark before the first line.
  const content = readText(path).replace(/^\uFEFF/, '');
  return content
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(ruleOn);
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, 2);
  }
}

function ruleOn(line: string): string {
  if (!line.startsWith('{"')) return line;
  try {
    const { value } = JSON.parse(line) as { value?: unknown };
    if (typeof value === 'string') return value;
  } catch {
    // Not JSON after all: a rule may well begin with a brace, and the verdict will say what is wrong with it.
  }
  return line;
}

function verdictOn(rule: string, language: Language): CheckedRule {
  const parse = (text: string) => language.parse(text);
  const { query, diagnostics } = parse(rule);
  // A rule that is valid is shown as it is read; what its fixes lead to stands with each remark.
  const suggestion = query === undefined ? suggestionFor(rule, parse) : undefined;
  return {
    rule,
    valid: query !== undefined,
    ...(query && { canonical: language.print(query) }),
    ...(suggestion !== undefined && { suggestion }),
    diagnostics: diagnostics.map((one) => ({ ...one, fixes: suggestionsFor(rule, one, parse) })),
  };
}

function describe(verdict: CheckedRule): string {
  const parts = [`${verdict.valid ? out.green('valid') : out.red('invalid')}  ${verdict.rule}`];
  for (const diagnostic of verdict.diagnostics) parts.push(remark(verdict.rule, diagnostic));
  if (verdict.suggestion !== undefined) parts.push(`  ${out.bold('try')}  ${verdict.suggestion}`);
  else if (verdict.canonical !== undefined && verdict.canonical !== verdict.rule)
    parts.push(`  ${out.dim(`reads as  ${verdict.canonical}`)}`);
  return parts.join('\n');
}

function remark(rule: string, { code, severity, span, message, fixes }: CheckedDiagnostic): string {
  const paint = severity === 'error' ? out.red : out.yellow;
  const [line, carets] = underline(rule, span);
  const hints = fixes
    .map(({ value, meaning }) => `\n  ${out.dim('fix:')} ${value}  ${out.dim(`(${meaning})`)}`)
    .join('');
  return `\n  ${line}\n  ${paint(carets)}\n  ${paint(severity)} ${message} ${out.dim(`[${code}]`)}${hints}`;
}

function summary(verdicts: readonly CheckedRule[]): string {
  const invalid = verdicts.filter((verdict) => !verdict.valid).length;
  return `\n${verdicts.length} rules, ${invalid === 0 ? 'all valid' : `${invalid} invalid`}`;
}
