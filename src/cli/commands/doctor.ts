/** `sluice doctor`: what is wrong with this installation, and what to do about it. */
import { Command } from 'commander';
import { examine, type Finding } from '../../app/doctor.ts';
import { out, printJson } from '../output.ts';

const SIGNS = { ok: out.green('✓'), warning: out.yellow('!'), failed: out.red('✗') };

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the configuration, the store, the disk, the clock and the server')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 when nothing has failed, 1 when something has.')
    .action(async ({ json }: { json?: true }) => {
      const findings = await examine(process.env);
      if (json) printJson(findings);
      else for (const finding of findings) console.log(describe(finding));
      process.exitCode = findings.some(({ state }) => state === 'failed') ? 1 : 0;
    });
}

const describe = ({ check, state, message, advice }: Finding): string =>
  `${SIGNS[state]} ${check.padEnd(14)} ${message}${advice === undefined ? '' : `\n  ${' '.repeat(14)} ${out.dim(advice)}`}`;
