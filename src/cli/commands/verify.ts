/** `sluice verify`: checks certificates without asking a server. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { verifyCertificate } from '../certificate.ts';
import { out } from '../colours.ts';
import { plain } from '../output.ts';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check certificates offline: the signature, and that they say one thing')
    .argument('<files...>', 'certificates')
    .option('--key <hex>', 'the public key that must have signed them')
    .addHelpText('after', '\nExit status: 0 when all are valid, 1 when one is not.')
    .action((files: string[], { key }: { key?: string }) => {
      for (const file of files) {
        const problem = describe(file, key);
        if (problem === undefined) continue;
        console.log(`${out.red('✗')} ${file} is refused: ${problem}.`);
        process.exitCode = 1;
      }
    });
}

/** Prints what a valid one says; answers why another one is refused. */
function describe(file: string, key: string | undefined): string | undefined {
  const read = verifyCertificate(readFileSync(file));
  if (typeof read === 'string') return read;
  if (key !== undefined && key.toLowerCase() !== read.publicKey) return `it is signed with the key ${read.publicKey}`;
  const { claim, sources, gaps, matches } = read;
  const names = sources.map(({ name, platform }) => `${plain(name)} (${platform})`).join(', ');
  console.log(`${out.green('✓')} ${file} is valid, signed with the key ${read.publicKey}.`);
  console.log(`  Rule ${plain(claim.rule_id)}, version ${claim.rule_version}, from ${claim.from} to ${claim.to}.`);
  console.log(`  Read: ${names}. Recovered gaps: ${gaps}. Matches: ${matches}.`);
  return undefined;
}
