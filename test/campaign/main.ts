/** `npm run campaign -- match [--pairs N] [--seed N]`: the long form of what the suite checks briefly. */
import { parseArgs } from 'node:util';
import { campaignMatch } from './match.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});

if (positionals[0] === 'match') {
  const seed = values.seed === undefined ? Date.now() | 0 : Number(values.seed);
  process.exitCode = campaignMatch(Number(values.pairs), seed, (line) => void process.stdout.write(`${line}\n`))
    ? 0
    : 1;
} else {
  process.stdout.write('usage: npm run campaign -- match [--pairs N] [--seed N]\n');
  process.exitCode = 2;
}
