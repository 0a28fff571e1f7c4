/**
 * Forks of the log of certificates against a witness that remembers one head and nothing else. The operator may sign whatever it
 * likes, and show any proof: those of the log that it had, those of the log that it has now, none, or a part of one.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Random, randomFrom } from '../../bench/random.ts';
import { type CertificateHead, LogForkError, verifyConsistency } from '../../packages/client/src/index.ts';
import { appended, consistencyProof, entryHash, type NodePlace, treeRoot, withNodes } from '../../src/base/merkle.ts';
import { type ChainSigner, createChainSigner } from '../../src/base/signed-chain.ts';
import { HEAD_TITLE } from '../../src/domain/certificate.ts';
import { hasPython } from './certificates.ts';

const MOST = 48;
const AT = '2026-11-15T10:00:00.000Z';
const OWN = createChainSigner(Buffer.alloc(32, 7), 'a log');
const OTHER = createChainSigner(Buffer.alloc(32, 8), 'a log');

/** The heads and the proof that a witness is shown after it has remembered a head. */
export interface Showing {
  readonly remembered: CertificateHead;
  readonly shown: CertificateHead;
  readonly proof: readonly string[];
}

export interface Fork {
  readonly kind: ForkKind;
  /** Each with another proof. */
  readonly showings: readonly Showing[];
  /** The log without the fork, which must not be taken for one. */
  readonly honest: Showing;
}

interface Log {
  head(size: number, signer?: ChainSigner): Promise<CertificateHead>;
  proof(from: number, to: number): Promise<string[]>;
}

async function logOf(entries: readonly string[]): Promise<Log> {
  const nodes = new Map<string, Buffer>();
  const read = async (places: readonly NodePlace[]) =>
    places.map(({ level, index }) => nodes.get(`${level} ${index}`)!);
  for (const [size, entry] of entries.entries())
    for (const { level, index, hash } of await withNodes(read, (node) => appended(size, entryHash(entry), node)))
      nodes.set(`${level} ${index}`, hash);
  return {
    async head(size, signer = OWN) {
      const root = (await withNodes(read, (node) => treeRoot(size, node))).toString('base64url');
      const signature = signer.signText(`${HEAD_TITLE}\n${size}\n${root}\n${AT}\n`);
      return { size, root, at: AT, public_key: signer.publicKey, signature };
    },
    proof: async (from, to) =>
      (await withNodes(read, (node) => consistencyProof(from, to, node))).map((hash) => hash.toString('base64url')),
  };
}

/** How the operator changes the first `seen` entries; the answer has another beginning, or is shorter. */
const FORKS = {
  'changed entry': (entries, seen, random) => entries.with(below(random, seen), `changed ${random()}`),
  'removed entry': (entries, seen, random) => [...entries.toSpliced(below(random, seen), 1), `new ${random()}`],
  'inserted entry': (entries, seen, random) => entries.toSpliced(below(random, seen), 0, `inserted ${random()}`),
  reordered(entries, seen, random) {
    const [one, other] = [below(random, seen), below(random, seen)];
    return one === other ? entries.toReversed() : entries.with(one, entries[other]!).with(other, entries[one]!);
  },
  'truncated and regrown': (entries, seen, random) => {
    const kept = below(random, seen);
    return entries.map((entry, at) => (at < kept ? entry : `regrown ${at} ${random()}`));
  },
  truncated: (entries, seen, random) => entries.slice(0, below(random, seen)),
  'two heads of one size': (entries, seen, random) => entries.slice(0, seen).with(seen - 1, `other ${random()}`),
  'another key': (entries) => entries,
} satisfies Record<string, (entries: string[], seen: number, random: Random) => string[]>;

type ForkKind = keyof typeof FORKS;
const KINDS = Object.keys(FORKS) as ForkKind[];

const below = (random: Random, size: number): number => Math.floor(random() * size);

async function forkOf(kind: ForkKind, random: Random): Promise<Fork> {
  const entries = Array.from({ length: 2 + below(random, MOST) }, (_, at) => `certificate ${at} ${random()}`);
  const seen = 2 + below(random, entries.length - 1);
  const forked = FORKS[kind](entries, seen, random);
  const [honest, fork] = [await logOf(entries), await logOf(forked)];
  // Most forks are shown at a size that the witness has not seen yet.
  const size = kind === 'truncated' ? forked.length : seen + below(random, forked.length - seen + 1);
  const later = Math.min(Math.max(size, seen), entries.length);
  const remembered = await honest.head(seen);
  const shown = await fork.head(size, kind === 'another key' ? OTHER : OWN);
  const proofs = [
    await honest.proof(seen, later),
    size < seen ? await fork.proof(size, size) : await fork.proof(seen, size),
    [],
    (await honest.proof(seen, later)).slice(1),
    [remembered.root, shown.root],
  ];
  return {
    kind,
    showings: proofs.map((proof) => ({ remembered, shown, proof })),
    honest: { remembered, shown: await honest.head(later), proof: await honest.proof(seen, later) },
  };
}

export async function forksOf(count: number, seed: number): Promise<Fork[]> {
  const random = randomFrom(seed);
  const forks: Fork[] = [];
  for (let at = 0; at < count; at++) forks.push(await forkOf(KINDS[at % KINDS.length]!, random));
  return forks;
}

const isFork = ({ remembered, shown, proof }: Showing): Promise<boolean> =>
  verifyConsistency(remembered, shown, proof).then(
    () => false,
    (error: unknown) => error instanceof LogForkError,
  );

export interface Judged {
  /** Forks of which every showing was found. */
  readonly found: number;
  /** Logs without a fork that were taken as such. */
  readonly taken: number;
  readonly missed: readonly string[];
}

export async function judgedByClient(forks: readonly Fork[]): Promise<Judged> {
  const verdicts: boolean[][] = [];
  for (const { showings, honest } of forks) verdicts.push(await Promise.all([...showings, honest].map(isFork)));
  return sumOf(forks, verdicts);
}

/** The verifier in Python judges them, too. It looks at each head once: its signatures take a few milliseconds. */
export function judgedByPython(forks: readonly Fork[]): Judged {
  const program = `
import functools, json, sys
from sluice import certificates as c
c._check_signature = functools.lru_cache(maxsize=None)(c._check_signature)
def is_fork(one):
    try:
        c.verify_consistency(one["remembered"], one["shown"], one["proof"])
        return False
    except c.LogForkError:
        return True
print(json.dumps([[is_fork(one) for one in fork] for fork in json.load(sys.stdin)]))`;
  const input = JSON.stringify(forks.map(({ showings, honest }) => [...showings, honest]));
  const cwd = resolve(import.meta.dirname, '../../clients/python');
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { input, cwd, env, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], options);
  if (status !== 0) throw new Error(`The verifier in Python failed: ${stderr}`);
  return sumOf(forks, JSON.parse(stdout) as boolean[][]);
}

function sumOf(forks: readonly Fork[], verdicts: readonly (readonly boolean[])[]): Judged {
  const isFound = verdicts.map((verdict) => verdict.slice(0, -1).every(Boolean));
  return {
    found: isFound.filter(Boolean).length,
    taken: verdicts.filter((verdict) => verdict.at(-1) === false).length,
    missed: forks.filter((_, at) => !isFound[at]).map(({ kind }) => kind),
  };
}

/** `npm run campaign -- witness [--times N] [--seed N]` */
export async function witnessCampaign(options: { readonly times?: number; readonly seed?: number }): Promise<boolean> {
  const { times = 10_000, seed = Date.now() % 2 ** 31 } = options;
  const forks = await forksOf(times, seed);
  const judges = { client: await judgedByClient(forks), ...(hasPython && { python: judgedByPython(forks) }) };
  console.log(`witness: seed ${seed}, ${times} forks, each shown with ${forks[0]?.showings.length ?? 0} proofs`);
  for (const [name, { found, taken, missed }] of Object.entries(judges))
    console.log(`${name}: ${found} of ${times} found, ${taken} of ${times} honest logs taken ${missed.join(', ')}`);
  return hasPython && Object.values(judges).every(({ found, taken }) => found === times && taken === times);
}
