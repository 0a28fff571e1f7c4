/** Certificates with one change each, shown to both verifiers: the client's and the one in Python. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Random, randomFrom } from '../../bench/random.ts';
import { CertificateError, verifyCertificate } from '../../packages/client/src/index.ts';
import { createChainSigner } from '../../src/base/signed-chain.ts';
import { CERTIFICATE_TITLE, type Certificate } from '../../src/domain/certificate.ts';
import { outages } from './outages.ts';

const VERIFIER = resolve(import.meta.dirname, '../../clients/python/sluice/certificates.py');
const AT_ONCE = 500;

export function sampleCertificate(matches = 3, signer = createChainSigner(Buffer.alloc(32, 7), 'a test')): Buffer {
  const entries: Certificate[number][] = [
    {
      kind: 'claim',
      rule_id: 'rule_1',
      rule_version: 2,
      queries: { x: 'lava OR "🌋 ash"' },
      from: '2026-11-15T08:00:00.000Z',
      to: '2026-11-15T09:00:00.000Z',
      issued_at: '2026-11-15T10:00:00.000Z',
      erased: 1,
    },
    {
      kind: 'source',
      platform: 'x',
      name: 'bluesky',
      events: 12,
      first_cursor: '1',
      last_cursor: '9',
      reads_since: '2026-11-15T07:00:00.000Z',
      complete_through: '2026-11-15T09:30:00.000Z',
    },
    {
      kind: 'gap',
      platform: 'x',
      source: 'bluesky',
      cause: 'source_down:bluesky',
      recovered: true,
      from: '2026-11-15T08:10:00.000Z',
      to: '2026-11-15T08:11:00.000Z',
    },
    ...Array.from({ length: matches }, (_, at): Certificate[number] => ({
      kind: 'match',
      platform: 'x',
      match_id: `match_${at}`,
      post_id: `p${at}`,
      rule_version: 2,
      stored_at: '2026-11-15T08:20:00.000Z',
    })),
    { kind: 'end', sources: 1, gaps: 1, matches },
  ];
  return Buffer.from(signer.sign(CERTIFICATE_TITLE, entries));
}

/** Bytes changed, added or dropped; lines dropped, doubled or swapped; another one's signature. */
export function mutationsOf(certificate: Buffer, count: number, random: Random): Buffer[] {
  const other = sampleCertificate(2);
  return Array.from({ length: count }, () => {
    for (;;) {
      const changed = mutated(certificate, other, random);
      // Parts that two genuine ones share may turn the one into the other.
      if (!changed.equals(certificate) && !changed.equals(other)) return changed;
    }
  });
}

function mutated(certificate: Buffer, other: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * certificate.length);
  const [before, after] = [certificate.subarray(0, at), certificate.subarray(at)];
  const lines = certificate.toString().split('\n');
  const line = Math.floor(random() * lines.length);
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([
        before,
        Buffer.from([certificate[at]! ^ (1 << Math.floor(random() * 8))]),
        after.subarray(1),
      ]);
    case 1:
      return Buffer.concat([before, after.subarray(1)]);
    case 2:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), after]);
    case 3:
      return Buffer.from(lines.toSpliced(line, 1).join('\n'));
    case 4:
      return Buffer.from(lines.toSpliced(line, 0, lines[line]!).join('\n'));
    case 5:
      return Buffer.concat([before, other.subarray(Math.min(at, other.length))]);
    default:
      return Buffer.from(
        certificate.toString().replace(/[a-f]/g, (digit) => (random() < 0.02 ? digit.toUpperCase() : digit)),
      );
  }
}

/** Why the verifier of the client refuses it; undefined when it does not. */
export const refusalOf = (certificate: Buffer): Promise<string | undefined> =>
  verifyCertificate(certificate).then(
    () => undefined,
    (error: unknown) => (error instanceof CertificateError ? error.message : String(error)),
  );

export const hasPython = spawnSync('python3', ['--version']).status === 0;

/** How many of them the verifier in Python refuses, and how many it takes. */
export function judgedByPython(certificates: readonly Buffer[]): { refused: number; valid: number } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutated-'));
  try {
    const judged = { refused: 0, valid: 0 };
    for (let from = 0; from < certificates.length; from += AT_ONCE) {
      const files = certificates.slice(from, from + AT_ONCE).map((certificate, at) => {
        const file = join(folder, String(from + at));
        writeFileSync(file, certificate);
        return file;
      });
      const { stdout } = spawnSync('python3', [VERIFIER, ...files], { encoding: 'utf8' });
      for (const line of stdout.split('\n')) {
        if (line.includes(': refused, ')) judged.refused++;
        if (line.includes(': valid. ')) judged.valid++;
      }
    }
    return judged;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `npm run campaign -- certificates [--times N] [--outages N] [--seed N]` */
export async function certificatesCampaign(options: {
  readonly times?: number;
  readonly outages?: number;
  readonly seed?: number;
}): Promise<boolean> {
  const { times = 10_000, outages: trials = 1_000, seed = Date.now() % 2 ** 31 } = options;
  const mutants = mutationsOf(sampleCertificate(), times, randomFrom(seed));
  const reasons = await Promise.all(mutants.map(refusalOf));
  const refused = {
    command: reasons.filter((reason) => reason !== undefined).length,
    python: judgedByPython(mutants).refused,
  };
  console.log(`certificates: seed ${seed}, ${times} changed, refused: ${JSON.stringify(refused)}`);
  const report = await outages(trials, seed, (done) => {
    if (done % 50 === 0) console.log(`${done} outages`);
  });
  const { lacking, ...figures } = report;
  console.table([{ ...figures, false: lacking.length }]);
  const isRefused = refused.command === times && refused.python === times;
  return isRefused && judgedByPython([sampleCertificate()]).valid === 1 && lacking.length === 0 && report.issued > 0;
}
