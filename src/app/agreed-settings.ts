/**
 * A node that does not fit does not start. What all nodes on a store must share is compared with what the store has of it;
 * of the sealing key that is a check value. `sluice adopt` changes such a value on purpose.
 */
import { createSeal, keyCheck, SEALING_KEY_SETTING } from '../delivery/webhooks/seal.ts';
import { holdsRules } from '../service/parts/ground.ts';
import type { Store } from '../store/store.ts';
import { type Config, ConfigError } from './config.ts';
import { sealingKeyOf } from './sealing-key.ts';

const MEBI = 1024 * 1024;

type Agreed = Readonly<Record<string, string>>;

/** By the names of their variables. Numbers that are not set are `off`. */
function agreedSettings(config: Config): Agreed {
  const { limits, prices } = config;
  const mebi = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / MEBI);
  const values = {
    // First of all: a node of another installation differs in more than its name.
    SLUICE_CLUSTER: config.cluster,
    SLUICE_CURRENCY: config.currency,
    SLUICE_X_LEVEL: config.xLevel,
    SLUICE_X_PRICE: prices.x,
    SLUICE_FIREHOSE_PRICE: prices.firehose,
    SLUICE_X_BUDGET: limits.xBudget,
    SLUICE_RETENTION_DAYS: config.retentionDays,
    SLUICE_ERASURE_DAYS: config.erasureDays,
    SLUICE_RECENT_EVENTS: config.recentEvents,
    SLUICE_COLD: config.cold?.url,
    SLUICE_FIREHOSE_RULES: limits.firehoseRules,
    SLUICE_MATCHES_PER_DAY: limits.matchesPerDay,
    SLUICE_STORED_MIB: mebi(limits.storedBytes),
    SLUICE_CPU_MS_PER_MINUTE: limits.cpuPerMinute,
    SLUICE_PUSHED_MIB_PER_MINUTE: mebi(limits.pushedPerMinute),
    SLUICE_PUSHED_MIB_PER_DAY: mebi(limits.pushedPerDay),
    SLUICE_SOURCES_PER_ACCOUNT: limits.sources,
    SLUICE_SOURCE_FETCHES_PER_HOUR: limits.sourceFetchesPerHour,
    SLUICE_SOURCE_MIB_PER_DAY: mebi(limits.sourceBytesPerDay),
    SLUICE_SOURCE_INTERVAL: limits.sourceInterval,
    SLUICE_RATE_LIMIT: config.rateLimit,
    SLUICE_ACCOUNT_RATE_LIMIT: config.accountRateLimit,
    SLUICE_JUDGE_BUDGET: budgetText(config),
    SLUICE_LOG_MIB: mebi(config.log?.bytes),
  };
  const texts = Object.entries(values).map(([name, value]) => [name, String(value ?? 'off')]);
  return {
    [SEALING_KEY_SETTING]: keyCheck(sealingKeyOf(config)),
    ...Object.fromEntries(texts),
    ...upstreamsHere(config),
    ...(config.judge && {
      SLUICE_JUDGE_PRICE: `input=${config.judge.price.input} output=${config.judge.price.output}`,
    }),
  };
}

/** Every node holds the same budget, in the form of the setting. */
const budgetText = ({ judgeLimits }: Config): string =>
  judgeLimits.map(({ what, most, per }) => `${what}=${what === 'money' ? most / 1_000_000 : most}/${per}`).join(' ');

/** Throws when this node does not fit. A file has one server at a time, so its settings may change; its key may not. */
export async function checkAgreed(store: Store, config: Config): Promise<void> {
  const own = agreedSettings(config);
  const known = await store.agreedSettings();
  const isOtherKey = known[SEALING_KEY_SETTING] === undefined && !(await opensSecret(store, config));
  const free = store.isShared ? [] : Object.keys(own).filter((name) => name !== SEALING_KEY_SETTING);
  const held = isOtherKey ? known : await store.agreeOn(own, free);
  const misfit = Object.keys(own).find((name) => held[name] !== own[name]);
  if (isOtherKey || misfit === SEALING_KEY_SETTING) throw new ConfigError(OTHER_KEY);
  if (misfit !== undefined)
    throw new ConfigError(
      `${misfit} is ${own[misfit]} here and ${held[misfit]} on the other nodes of this database. ${remedy(held[misfit]!)}, or run \`sluice adopt\` with the new value before the nodes start with it.`,
    );
}

/** A database that has no check value yet may have secrets. */
async function opensSecret(store: Store, config: Config): Promise<boolean> {
  const sealed = await store.sealedSecret();
  return sealed === undefined || createSeal(sealingKeyOf(config)).unseal(sealed) !== undefined;
}

const OTHER_KEY = `${SEALING_KEY_SETTING} is not the key of this database: set it as on the other nodes, or put the right webhooks.key back into the data folder. Where that key is lost, \`sluice adopt\` takes this one; then rotate the secret and give the credential of every webhook again.`;

/** Makes the settings of this configuration those of the database. Answers those that were others, as they were and are. */
export async function adoptSettings(
  store: Store,
  config: Config,
): Promise<{ readonly name: string; readonly before: string | undefined; readonly after: string }[]> {
  const own = agreedSettings(config);
  const before = await store.agreedSettings();
  await store.agreeOn(own, Object.keys(own));
  return Object.entries(own)
    .filter(([name, value]) => before[name] !== value)
    .map(([name, after]) => ({ name, before: before[name], after }));
}

/** The real platforms of a node, and how it takes from them: the part of the settings that not every role needs. */
const SET = 'set';
const NOT_SET = 'not set';

/**
 * A node that holds rules would register those of a real platform with itself, if it took the platform for its own. One that
 * only delivers, or only hands the events of open sources to a broker, may do without the token and all that goes with it.
 */
function upstreamsHere({
  roles,
  natsUrl,
  upstreams: { x, firehose },
  xWebhook,
}: Config): Readonly<Record<string, string>> {
  const isSet = (upstream: object | undefined) => (upstream === undefined ? NOT_SET : SET);
  const shapeOf = (upstream: object | undefined) => (upstream === undefined ? 'local' : 'upstream');
  const platforms = { x: { shape: shapeOf(x) }, firehose: { shape: shapeOf(firehose) } } as const;
  const takesFromX = roles.includes('api') || roles.includes('connector');
  return {
    ...(holdsRules({ roles, platforms, broker: natsUrl }) && {
      SLUICE_X_BEARER_TOKEN: isSet(x),
      SLUICE_FIREHOSE_TOKEN: isSet(firehose),
    }),
    ...(x && { SLUICE_X_SLOTS: String(x.slots ?? 'off') }),
    ...(firehose && { SLUICE_FIREHOSE_SLOTS: String(firehose.slots ?? 'off') }),
    ...(x && takesFromX && { SLUICE_X_DELIVERY: xWebhook === undefined ? 'stream' : 'webhook' }),
  };
}

/** The first words of the advice to a node that differs from the value that is held. */
function remedy(held: string): string {
  if (held === SET) return 'Set it';
  return held === NOT_SET ? 'Unset it' : `Set it to ${held}`;
}
