/**
 * Rules that come and go on any node of a cluster between two upstreams, some of whose calls break off; and what should
 * not be left of them.
 */
import { pick, type Random } from '../../bench/random.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import { callServer } from '../black-box/server.ts';
import type { Cluster, ClusterNode } from '../cluster/cluster.ts';
import { type Acknowledged, type Arrivals, WORDS, wordOf } from './arrivals.ts';

/** So many of the words have a rule before the first kill. */
const FIRST_RULES = WORDS / 2;
/** The rules that were made meanwhile. */
export interface Made {
  /** The rules that are to stay, as soon as they are there. */
  readonly rules: Acknowledged[];
  /** Names of rules of which a call broke off: whether there is a second one is not known. */
  readonly brokenOff: Set<string>;
}

/** Each of these counts should be nothing when all is in order again. */
export interface Left {
  readonly openGaps: number;
  /** Rules that are neither there nor not. */
  readonly unfinished: number;
  /** Rules of which an upstream holds no registration, and registrations that are there twice. */
  readonly unregistered: number;
  readonly registeredTwice: number;
  /** Registrations that stand for no rule. */
  readonly orphans: number;
}

export async function makeFirstRules({ apis }: Cluster): Promise<Made> {
  const made: Made = { rules: [], brokenOff: new Set() };
  for (let number = 0; number < FIRST_RULES; number++) {
    const word = wordOf(number);
    const ruleId = await createRule(apis[number % apis.length]!, word);
    if (ruleId === undefined) throw new Error('a rule was not taken');
    made.rules.push({ ruleId, word, since: 0 });
  }
  return made;
}

/** The other rules, each on any node; then such as are deleted again, so that their registrations have to go. */
export async function makeRules(
  cluster: Cluster,
  { rules, brokenOff }: Made,
  arrivals: Arrivals,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  for (let number = FIRST_RULES; number < WORDS || !signal.aborted; number++) {
    const word = wordOf(number);
    let ruleId: string | undefined;
    while (ruleId === undefined) {
      ruleId = await createRule(pick(random, cluster.apis), word);
      if (ruleId === undefined) await brokeOff(word);
    }
    if (number < WORDS) rules.push({ ruleId, word, since: arrivals.next });
    else while (!(await isDeleted(pick(random, cluster.apis), ruleId))) await brokeOff(word);
    await pause(signal.aborted ? 0 : random() * 2_000);
  }

  function brokeOff(word: string): Promise<void> {
    brokenOff.add(word);
    return pause(100);
  }
}

/** Resolves to undefined when nobody said that it is there. */
async function createRule({ url }: ClusterNode, word: string): Promise<string | undefined> {
  const rule = {
    name: word,
    intent: '',
    platforms: PLATFORMS,
    overrides: { x: word, firehose: word },
    options: { firehose: { quality: false, nsfw: true } },
  };
  const answer = await callServer(url, 'POST', '/api.CreateRule', rule).catch(() => undefined);
  return answer?.body['rule_id'] as string | undefined;
}

async function isDeleted({ url }: ClusterNode, rule_id: string): Promise<boolean> {
  const answer = await callServer(url, 'POST', '/api.DeleteRule', { rule_id }).catch(() => undefined);
  return answer?.status === 200 || answer?.status === 404;
}

interface ListedRule {
  readonly name: string;
  readonly platforms: Readonly<Record<string, { readonly status: string }>>;
}

export async function leftOver(
  cluster: Cluster,
  sandbox: Sandbox,
  gaps: readonly Gap[],
  { rules, brokenOff }: Made,
): Promise<Left> {
  const { body } = await cluster.call('GET', '/api.ListRules');
  const listed = body['rules'] as ListedRule[];
  const names = new Set([...brokenOff, ...listed.map(({ name }) => name)]);
  const isUnfinished = ({ name, platforms }: ListedRule): boolean =>
    !brokenOff.has(name) && Object.values(platforms).some(({ status }) => status !== 'active');
  const held = PLATFORMS.map((name) => sandbox.rules(name).map(({ value }) => value));
  const sum = (count: (values: string[]) => number) => held.reduce((total, values) => total + count(values), 0);
  // A call that broke off may leave one behind, which is there beside that of the next call until it is looked for.
  const known = (values: string[]) => values.filter((value) => !brokenOff.has(value));
  return {
    openGaps: gaps.filter(({ to }) => to === undefined).length,
    unfinished: listed.filter(isUnfinished).length,
    unregistered: sum((values) => rules.filter(({ word }) => !values.includes(word)).length),
    registeredTwice: sum((values) => known(values).length - new Set(known(values)).size),
    orphans: sum((values) => values.filter((value) => !names.has(value)).length),
  };
}

export const isNothing = (left: Left): boolean => Object.values(left).every((count) => count === 0);

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
