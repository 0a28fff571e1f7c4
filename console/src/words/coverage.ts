/** Why matches may be missing: reasons of coverage, and causes of gaps. */
import { explainReason } from '../../../packages/client/src/explain-reason.ts';
import { COVERAGE_REASONS, type CoverageReason } from '../../../src/domain/coverage.ts';
import type { FirehoseCause } from '../../../src/platforms/firehose/reconnect-policy.ts';
import type { BrokenCause } from '../../../src/platforms/platform.ts';
import type { DisconnectReason } from '../../../src/platforms/x/reconnect-policy.ts';
import type { SourceGap } from '../../../src/sources/contract/source.ts';
import type { Platform } from '../data/queries.ts';
import type { Shown } from './shown.ts';

const bad = (words: string) => ({ words, tone: 'bad' }) as const;

/** The most serious first. */
export const REASONS = {
  token_refused: bad('Token refused'),
  account_suspended: bad('Suspended'),
  budget_spent: bad('Budget spent'),
  stored_bytes: bad('Storage full'),
  matches_per_day: bad('Limit of the day'),
  over_limit: bad('Limit reached'),
  not_stored: bad('Not stored'),
  rule_refused: bad('Rule refused'),
  registration_missing: bad('Not at the platform'),
  stream_down: bad('Not connected'),
  source_down: bad('Source down'),
  source_blind: bad('Source unreadable'),
  source_silent: { words: 'Source silent', tone: 'warn' },
  node_behind: bad('Node behind'),
  no_feed: { words: 'No feed', tone: 'neutral' },
  demo: { words: 'Demo', tone: 'neutral' },
  paused: { words: 'Paused', tone: 'neutral' },
  gap: { words: 'Has gaps', tone: 'warn' },
  not_started: { words: 'Incomplete', tone: 'warn' },
} as const satisfies Record<CoverageReason, Pick<Shown, 'words' | 'tone'>>;

/** Reasons that are no trouble by themselves. A gap is over, or has a reason of its own. */
export const HARMLESS: readonly CoverageReason[] = ['demo', 'no_feed', 'not_started', 'paused', 'gap'];

/** Without the name of a source behind it. Undefined for a reason that this version does not know. */
export function codeOf(reason: string): CoverageReason | undefined {
  const code = reason.split(':', 1)[0]!;
  return Object.hasOwn(COVERAGE_REASONS, code) ? (code as CoverageReason) : undefined;
}

export const isHarmless = (reason: string): boolean => HARMLESS.some((code) => code === codeOf(reason));

/** The most serious of the reasons. Reasons of a newer server are shown as a warning. */
export function worstOf(reasons: readonly string[]): Pick<Shown, 'words' | 'tone'> | undefined {
  const codes = reasons.map(codeOf);
  const worst = (Object.keys(REASONS) as CoverageReason[]).find((code) => codes.includes(code));
  if (worst !== undefined) return REASONS[worst];
  return reasons.length === 0 ? undefined : { words: 'Incomplete', tone: 'warn' };
}

const UNFED = 'Nothing feeds the platform: it has no source, and nothing has been sent in yet.';
const GAP = 'missing from a part of the time. The timeline shows from which.';

export interface KnownOfReason {
  /** The names of rules by their ids. */
  readonly names?: ReadonlyMap<string, string>;
  /** Nothing has ever come, so that the last hour is not worth a word. */
  readonly isUnfed?: boolean;
  /** The platform that it is of, where it is of one. */
  readonly platform?: Platform | undefined;
}

const OWNERS: Readonly<Record<Platform, string>> = { x: 'X', firehose: 'Firehose' };

/** The sentences of the API, with the platform by its name, and in words that need no explanation. */
const plain = (words: string, platform?: Platform): string =>
  words
    .replaceAll(/\bthe upstream\b/gi, (it) => (platform === undefined ? `${it.slice(0, 4)}platform` : OWNERS[platform]))
    .replace('was pushed in the last hour', 'was sent in during the last hour')
    .replace('It is being registered again', 'Sluice adds it again');

/** A reason of coverage in a sentence. One that is about a single rule names it. */
export function reasonWords(reason: string, { names, isUnfed = false, platform }: KnownOfReason = {}): string {
  if (reason === 'no_feed' && isUnfed) return UNFED;
  if (reason === 'gap') return `Events are ${GAP}`;
  const [code = '', id] = reason.split(':', 2);
  if (id?.startsWith('rule_') !== true) return plain(explainReason(reason), platform);
  const name = names?.get(id) ?? id;
  if (code === 'gap') return `Rule “${name}”: events are ${GAP}`;
  return code === 'paused' ? `Rule “${name}” is paused.` : `Rule “${name}”: ${plain(explainReason(code), platform)}`;
}

type StreamCause = DisconnectReason | BrokenCause | FirehoseCause | Exclude<SourceGap['cause'], CoverageReason>;

/** Causes that are no reasons of coverage: the words of streams and sources. */
export const STREAM_CAUSES = {
  dropped: 'The connection was lost.',
  disconnected: 'The connection was lost.',
  network: 'The upstream could not be reached.',
  unreachable: 'The upstream could not be reached.',
  certificate: 'The certificate of the upstream could not be verified.',
  server: 'The upstream answered with an error.',
  'upstream error': 'The upstream answered with an error.',
  operational: 'The upstream closed the connection for its own reasons.',
  slow_reader: 'The upstream closed the connection, because Sluice read too slowly.',
  stall: 'Nothing came for too long.',
  stalled: 'Nothing came for too long.',
  suspect: 'Only signs of life came, and no events.',
  broken: 'The upstream sent something that cannot be read.',
  overlong: 'The upstream sent a line that is too long.',
  overflow: 'More came than Sluice had room for.',
  'slow store': 'The store was too slow to take what came.',
  'aged out': 'The upstream no longer had what was missed.',
  rate: 'The upstream answered too many requests.',
  connections: 'The upstream allows no more connections.',
  forced: 'The upstream closed the connection, because another program opened one.',
  no_rules: 'The upstream held no rules.',
  'no rules': 'The upstream held no rules.',
  rules: 'The upstream no longer accepts one of the rules.',
  quota: 'The quota at the upstream was used up.',
  billing: 'The upstream asks for a payment.',
  auth: 'The upstream refused the token.',
  app: 'The upstream refuses the app that the token belongs to.',
  request: 'The upstream refused the request as wrong.',
  challenge: 'X did not get the right answer from the webhook to its challenge.',
  source_unwitnessed: 'Only one host of a source was read, where two should vouch for it.',
  source_overrun: 'A source published more between two visits than it lists.',
  source_unread: 'A source brought something that cannot be read.',
  source_witnessed: 'At first only one host of a source was read. The second has vouched for it since.',
} as const satisfies Record<StreamCause, string>;

/** The cause of a gap, or the reason that a connection reports, in a sentence. */
export function causeWords(cause: string, platform?: Platform): string {
  const [code = '', name] = cause.split(':', 2);
  if (!Object.hasOwn(STREAM_CAUSES, code)) return plain(explainReason(cause), platform);
  const words = plain(STREAM_CAUSES[code as StreamCause], platform);
  return name === undefined ? words : words.replace(/\.$/, () => ` (${name}).`);
}
