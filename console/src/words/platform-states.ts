/** The states of platforms, sources and the server. */
import type { Status } from '../data/queries.ts';
import type { Shown } from './shown.ts';

type PlatformStatus = NonNullable<Status['platforms']['x']>;
type Source = NonNullable<Status['sources']>[number];
type NotReady = NonNullable<Status['instance']>['not_ready'][number];
type Warning = NonNullable<Status['instance']>['warnings'][number];

export const PLATFORM_STATES = {
  ready: { words: 'Ready', tone: 'ok', about: 'Sluice evaluates the rules itself and takes what is sent in.' },
  live: { words: 'Live', tone: 'ok', about: 'The stream of the platform is connected.' },
  loading: {
    words: 'Loading rules',
    tone: 'warn',
    about: 'Sluice is loading the rules. Until it has all, matches may be missing.',
  },
  connecting: { words: 'Connecting', tone: 'warn', about: 'Sluice is connecting to the platform.' },
  stalled: {
    words: 'Stalled',
    tone: 'bad',
    about: 'The stream is connected and nothing comes, so Sluice connects again.',
  },
  degraded: { words: 'Degraded', tone: 'bad', about: 'Sluice tries to connect again and again, without success.' },
} as const satisfies Record<PlatformStatus['state'], Shown>;

/** There is nothing to connect to for a platform that Sluice evaluates itself. */
export const aboutPlatform = ({ state, shape }: Pick<PlatformStatus, 'state' | 'shape'>): string =>
  state === 'degraded' && shape === 'local'
    ? 'Sluice cannot store what arrives, so events wait or are refused.'
    : PLATFORM_STATES[state].about;

export const SOURCE_STATES = {
  live: { words: 'Live', tone: 'ok', about: 'It is connected and brings events.' },
  starting: { words: 'Starting', tone: 'warn', about: 'It has not connected yet.' },
  silent: { words: 'Silent', tone: 'warn', about: 'It is connected, and nothing comes from it.' },
  blind: {
    words: 'Unreadable',
    tone: 'bad',
    about: 'What it sends cannot be read, or some of its addresses cannot be.',
  },
  waiting: { words: 'Retrying', tone: 'bad', about: 'It cannot be reached. Sluice tries again by itself.' },
  ended: { words: 'Ended', tone: 'neutral', about: 'It has brought everything that it had, and brings no more.' },
} as const satisfies Record<Source['state'], Shown>;

export const SOURCE_PACES = {
  unknown: { words: 'Pace unknown', tone: 'neutral', about: 'Its own past is too short to compare with.' },
  usual: { words: 'As usual', tone: 'ok', about: 'It brings as many events as it usually does.' },
  slow: { words: 'Slow', tone: 'warn', about: 'It brings far fewer events than it usually does.' },
  silent: { words: 'Silent', tone: 'warn', about: 'It brings nothing, where it usually does.' },
  blind: { words: 'Unreadable', tone: 'bad', about: 'The stream goes on and holds no events.' },
} as const satisfies Record<NonNullable<Source['pace']>, Shown>;

export const SHAPES = {
  local: { words: 'here', tone: 'neutral', about: 'Sluice evaluates the rules itself.' },
  upstream: {
    words: 'on the platform',
    tone: 'neutral',
    about: 'The platform evaluates the rules and sends what matches.',
  },
} as const satisfies Record<PlatformStatus['shape'], Shown>;

export const NOT_READY_STATES = {
  stopping: { words: 'Stopping', tone: 'bad', about: 'The server is stopping.' },
  rules_loading: {
    words: 'Loading rules',
    tone: 'bad',
    about: 'The server is loading rules. Until it has all, matches may be missing.',
  },
  store_away: { words: 'Store away', tone: 'bad', about: 'The server cannot reach its store.' },
  disk_full: { words: 'Disk full', tone: 'bad', about: 'The disk of the store is full, so nothing is stored.' },
  store_unwritable: { words: 'Store unwritable', tone: 'bad', about: 'The store cannot be written.' },
  commits_waiting: {
    words: 'Store slow',
    tone: 'bad',
    about: 'What arrives has waited for more than five seconds to be stored.',
  },
  node_behind: { words: 'Node behind', tone: 'bad', about: 'This node does not know the latest rules.' },
  broker_away: { words: 'Broker away', tone: 'bad', about: 'The server cannot reach its broker.' },
} as const satisfies Record<NotReady, Shown>;

/** The warnings that the operator should see to, although the server does its work. */
export const WARNINGS = {
  clock_off: {
    words: 'Clock off',
    tone: 'warn',
    about: 'The clock of this server and that of its database differ by more than a second. Set both by NTP.',
  },
} as const satisfies Record<Warning, Shown>;
