/** `sluice verify`: checks certificates without asking a server. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type VerifiedCertificate, verifyCertificate } from '../certificate.ts';
import { out } from '../colours.ts';
import { plain, printJson } from '../output.ts';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check certificates offline: the signature, and that they say one thing')
    .argument('<files...>', 'certificates')
    .option('--key <hex>', 'the public key that must have signed them')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 when all are valid, 1 when one is not.')
    .action((files: string[], { key, json }: { key?: string; json?: true }) => {
      const read = files.map((file) => ({ file, ...resultOf(file, key) }));
      if (json) printJson(read);
      else for (const one of read) console.log(describe(one));
      process.exitCode = read.every(({ valid }) => valid) ? 0 : 1;
    });
}

type Result =
  | { readonly valid: true; readonly certificate: VerifiedCertificate }
  | { readonly valid: false; readonly problem: string };

function resultOf(file: string, key: string | undefined): Result {
  const read = verifyCertificate(readFileSync(file));
  if (typeof read === 'string') return { valid: false, problem: read };
  const isOther = key !== undefined && key.toLowerCase() !== read.publicKey;
  return isOther
    ? { valid: false, problem: `it is signed with the key ${read.publicKey}` }
    : { valid: true, certificate: read };
}

function describe(result: Result & { readonly file: string }): string {
  if (!result.valid) return `${out.red('✗')} ${result.file} is refused: ${result.problem}.`;
  const { claim, sources, gaps, matches, publicKey } = result.certificate;
  const names = sources.map(({ name, platform, events }) => {
    const count = events === null ? '' : `, ${events} events`;
    return `${plain(name)} (${platform}${count})`;
  });
  return [
    `${out.green('✓')} ${result.file} is valid, signed with the key ${publicKey}.`,
    `  Rule ${plain(claim.rule_id)}, version ${claim.rule_version}, from ${claim.from} to ${claim.to}.`,
    `  Read: ${names.join(', ')}. Recovered gaps: ${gaps}. Matches: ${matches}.`,
  ].join('\n');
}
