/** `sluice rules export`, `plan`, `apply` and `test`: the rules of an account as a file. What they do is loaded when one is run. */
import { Command, Option } from 'commander';
import type { RuleFileOptions } from '../rule-file-actions.ts';

const keep = () => new Option('--keep', 'leave rules alone that are not in the file');
const json = () => new Option('--json', 'print JSON');
const FILE = ['<file>', 'YAML, as `sluice rules export` writes it; "-" is standard input'] as const;
/** Reading YAML takes as many files as all the rest of the command. */
const actions = () => import('../rule-file-actions.ts');

export function exportRulesCommand(): Command {
  return new Command('export')
    .argument('[file]', 'where to write; standard output when it is left out')
    .description('write all rules as YAML')
    .addOption(new Option('--json', 'print JSON, as List Rules answers'))
    .action(async (file: string | undefined, options: RuleFileOptions) => (await actions()).exportRules(file, options));
}

export function testRulesCommand(): Command {
  return new Command('test')
    .argument(...FILE)
    .description('try the rules of a file on their own samples, without a server')
    .addOption(json())
    .addHelpText('after', '\nExit status: 0 when every sample is as the file says, 1 when one is not.')
    .action(async (path: string, options: RuleFileOptions) => (await actions()).testRuleFile(path, options));
}

export function planRulesCommand(): Command {
  return new Command('plan')
    .argument(...FILE)
    .description('show what `apply` would change')
    .addOption(keep())
    .option('--exit-code', 'end with status 3 when there is something to change')
    .option('--no-measure', 'do not try the changed texts on recent events')
    .addOption(json())
    .action(async (path: string, options: RuleFileOptions) => (await actions()).planRules(path, options));
}

export function applyRulesCommand(): Command {
  return new Command('apply')
    .argument(...FILE)
    .description('make the rules on the server those of the file')
    .addOption(keep())
    .option('-y, --yes', 'do not ask')
    .option('--skip-tests', 'apply the file although a sample fails')
    .addOption(json())
    .action(async (path: string, options: RuleFileOptions) => (await actions()).applyRules(path, options));
}
