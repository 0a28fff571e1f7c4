/** The store's methods: reads happen where they are asked for, writes go to the writer. */
import type { Clock } from '../../base/clock.ts';
import { inSlices } from '../../base/cooperate.ts';
import type { Rule } from '../../domain/rule.ts';
import { COST_AT_ONCE, textEvents } from '../rows/commit.ts';
import { packCommit, unpackCommitted } from '../rows/packed-commit.ts';
import { recentSlices } from '../rows/preview.ts';
import type { RuleSlice } from '../rows/rules.ts';
import type { Named } from '../rows/tombstones.ts';
import { TRASH_TOP, type TrashPlace } from '../rows/trash.ts';
import type {
  AccountStore,
  AlertStore,
  AnswerStore,
  ChangeStore,
  ClientStore,
  CommitStore,
  CoverageStore,
  DeliveryStore,
  ErasureStore,
  GrantStore,
  KeyStore,
  MatchStore,
  NodeStore,
  OwedStore,
  PassStore,
  RatingStore,
  RecentStore,
  RegistrationStore,
  RehearsalStore,
  RuleStore,
  SharedFeedStore,
  StoryStore,
  SubscriptionStore,
  UpstreamStore,
  UsageStore,
  ViewStore,
  WatchStore,
  WebhookStore,
} from '../store.ts';
import { breathe } from './breathe.ts';
import type { Keeper } from './keeper.ts';
import type { Reads } from './reads.ts';
import { redeliverSince } from './redeliver.ts';
import type { Write } from './writes.ts';

export interface Calls {
  readonly read: Keeper<Reads>['run'];
  readonly write: Write;
}

export const accountCalls = ({ read, write }: Calls): AccountStore & KeyStore & PassStore => ({
  addAccount: (account, note) => write('addAccount', account, note),
  account: (idOrName) => read((db) => db.account(idOrName)),
  accounts: () => read((db) => db.accounts()),
  changeAccount: (id, change, note) => write('changeAccount', id, change, note),
  addKey: (...given) => write('addKey', ...given),
  keyByDigest: (digest) => read((db) => db.keyByDigest(digest)),
  keys: (accountId) => read((db) => db.keys(accountId)),
  revokeKey: (accountId, keyId, note) => write('revokeKey', accountId, keyId, note),
  touchKey: (keyId, at) => write('touchKey', keyId, at),
  addPass: (pass) => write('addPass', pass),
  pass: (digest, now) => read((db) => db.pass(digest, now)),
  usePass: (digest, now) => write('usePass', digest, now),
  takePass: (digest, now) => write('takePass', digest, now),
});

export const grantCalls = ({ read, write }: Calls): ClientStore & GrantStore => ({
  addClient: (client, limit) => write('addClient', client, limit),
  client: (id, now) => read((db) => db.client(id, now)),
  keepClient: (id, until) => write('keepClient', id, until),
  addGrant: (grant, code, change) => write('addGrant', grant, code, change),
  grantByCode: (digest) => read((db) => db.grantByCode(digest)),
  redeemCode: (digest, pair, now) => write('redeemCode', digest, pair, now),
  grantByFamily: (digest) => read((db) => db.grantByFamily(digest)),
  rotateRefresh: (grantId, digest, pair, now) => write('rotateRefresh', grantId, digest, pair, now),
  addAccessToken: (token) => write('addAccessToken', token),
  accessToken: (digest, now) => read((db) => db.accessToken(digest, now)),
  endAccessToken: (digest) => write('endAccessToken', digest),
  grants: (accountId, now) => read((db) => db.grants(accountId, now)),
  revokeGrant: (accountId, grantId, change) => write('revokeGrant', accountId, grantId, change),
  touchGrant: (grantId, at) => write('touchGrant', grantId, at),
});

export const ruleCalls = ({ read, write }: Calls): RuleStore & RegistrationStore => ({
  addRule: (rule, limits, note) => write('addRule', rule, limits, note),
  rule: (accountId, ruleId) => read((db) => db.rule(accountId, ruleId)),
  rules: (accountId) => ruleSlices((after) => read((db) => db.rulesAfter(accountId, after))),
  everyRule: () => ruleSlices((after) => read((db) => db.everyRuleAfter(after))),
  unfinishedRules: () => ruleSlices((after) => read((db) => db.unfinishedRulesAfter(after))),
  countRules: (accountId) => read((db) => db.countRules(accountId)),
  setRuleStatus: (ruleId, platform, state) => write('setRuleStatus', ruleId, platform, state),
  changeRule: (accountId, ruleId, change, note, limits) => write('changeRule', accountId, ruleId, change, note, limits),
  deleteRule: (accountId, ruleId, note, keep) => write('deleteRule', accountId, ruleId, note, keep),
  deletedRule: (accountId, ruleId, now) => read((db) => db.deletedRule(accountId, ruleId, now)),
  async *deletedRules(accountId, now) {
    for (let place: TrashPlace | undefined = TRASH_TOP; ; ) {
      const from: TrashPlace = place;
      const { rules, next } = await read((db) => db.deletedRulesBelow(accountId, now, from));
      if (rules.length > 0) yield rules;
      if (next === undefined) return;
      place = next;
      await breathe();
    }
  },
  restoreRule: (accountId, ruleId, restoring, note) => write('restoreRule', accountId, ruleId, restoring, note),
  moveMatches: (ruleId) => write('moveMatches', ruleId),
  undoRule: (accountId, ruleId, note) => write('undoRule', accountId, ruleId, note),
  countHolders: (platform, value, flags) => read((db) => db.countHolders(platform, value, flags)),
  instance: (offered) => write('instance', offered),
  registrations: (platform) => read((db) => db.registrations(platform)),
  changeRegistrations: (change) => write('changeRegistrations', change),
});

async function* ruleSlices(next: (after: number) => Promise<RuleSlice>): AsyncIterable<Rule[]> {
  for (let slice = await next(0); slice.last !== undefined; slice = await next(slice.last)) {
    yield slice.rules;
    await breathe();
  }
}

export const answerCalls = ({ read, write }: Calls, clock: Clock): AnswerStore => ({
  remembered: (accountId, key) => read((db) => db.remembered(accountId, key, clock.now())),
  remember: (accountId, key, digest, answer) => write('remember', accountId, key, digest, answer, clock.now()),
  claimAnswer: (claim) => write('claimAnswer', claim, clock.now()),
});

export const matchCalls = ({ read, write }: Calls): CommitStore & MatchStore & StoryStore & RecentStore => ({
  async commit(batch) {
    const packing = packCommit({ ...batch, events: textEvents(batch) });
    const { packed, places } = await inSlices(packing, COST_AT_ONCE);
    return unpackCommitted(await write('commit', packed), places, batch.events.length);
  },
  cursor: (name) => read((db) => db.cursor(name)),
  matches: (query) => read((db) => db.matches(query)),
  match: (accountId, matchId) => read((db) => db.match(accountId, matchId)),
  matchesAfter: (query) => read((db) => db.matchesAfter(query)),
  stories: (query) => read((db) => db.stories(query)),
  latest: () => read((db) => db.latest()),
  oldest: () => read((db) => db.oldest()),
  matchCounts: (query) => read((db) => db.matchCounts(query)),
  async *recentEvents(accountId, platform, limit) {
    const erased = await read((db) => db.erasedPosts(accountId, platform));
    const rowsBefore = (number: number) => read((db) => db.recentBefore(accountId, platform, number));
    const hidden = (events: readonly Named[]) => read((db) => db.hiddenFrom(accountId, platform, events));
    yield* recentSlices({ platform, limit, erased, rowsBefore, hidden, breathe });
  },
  recentTotals: (platform) => read((db) => db.recentTotals(platform)),
});

export const changeCalls = ({ read }: Calls): ChangeStore => ({ changes: (query) => read((db) => db.changes(query)) });

export const ratingCalls = ({ read, write }: Calls): RatingStore => ({
  rateMatch: (rating, limit) => write('rateMatch', rating, limit),
  ratedRule: (ruleId, limit) => read((db) => db.ratedRule(ruleId, limit)),
  keepSuggestions: (accountId, ruleId, platform, made) => write('keepSuggestions', accountId, ruleId, platform, made),
  appliedSuggestions: (accountId, ruleId, limit) => read((db) => db.appliedSuggestions(accountId, ruleId, limit)),
});

export const viewCalls = ({ read, write }: Calls): ViewStore => ({
  addView: (view, limit) => write('addView', view, limit),
  views: (accountId) => read((db) => db.views(accountId)),
  deleteView: (accountId, viewId) => write('deleteView', accountId, viewId),
});

/** Minutes of many rules at once: what is not settled would be added to each of them. */
const afterSettling =
  ({ read, write }: Calls): Calls['read'] =>
  async (work) => {
    await write('settle');
    return read(work);
  };

export const alertCalls = (calls: Calls): AlertStore & WatchStore => alertCallsOf(calls, afterSettling(calls));

const alertCallsOf = ({ read, write }: Calls, readSettled: Calls['read']): AlertStore & WatchStore => ({
  alerts: (query) => read((db) => db.alerts(query)),
  alert: (accountId, alertId) => read((db) => db.alert(accountId, alertId)),
  alertingRules: (accountId, limit) => read((db) => db.alertingRules(accountId, limit)),
  watchAgenda: (most) => read((db) => db.watchAgenda(most)),
  watchedIn: (minute, after, limit) => readSettled((db) => db.watchedIn(minute, after, limit)),
  watchesOf: (places, minute) => readSettled((db) => db.watchesOf(places, minute)),
  dueWatches: (now, minute, limit) => readSettled((db) => db.dueWatches(now, minute, limit)),
  minutesOf: (places, from, to) => readSettled((db) => db.minutesOf(places, from, to)),
  keepWatches: (lease, changes) => write('keepWatches', lease, changes),
});

export const erasureCalls = ({ read, write }: Calls, clock: Clock): ErasureStore => ({
  deleteMatches: (accountId, platform, postId) => write('deleteMatches', accountId, platform, postId, clock.now()),
  eraseEverywhere: (platform, postId) => write('eraseEverywhere', platform, postId, clock.now()),
  eraseAnnounced: (platform, postIds, options = {}) => write('eraseAnnounced', platform, postIds, options, clock.now()),
  tombstones: (after, limit) => read((db) => db.tombstones(after, limit)),
  addTombstones: (tombstones) => write('addTombstones', tombstones),
  applyTombstones: (from) => write('applyTombstones', from),
});

export const webhookCalls = ({ read, write }: Calls): WebhookStore & DeliveryStore & OwedStore => ({
  addWebhook: (webhook, limit, note) => write('addWebhook', webhook, limit, note),
  webhooks: (accountId) => read((db) => db.webhooks(accountId)),
  webhook: (accountId, webhookId) => read((db) => db.webhook(accountId, webhookId)),
  changeWebhook: (accountId, webhookId, change, note) => write('changeWebhook', accountId, webhookId, change, note),
  deleteWebhook: (accountId, webhookId, note) => write('deleteWebhook', accountId, webhookId, note),
  deliveries: (query) => read((db) => db.deliveries(query)),
  delivery: (accountId, deliveryId) => read((db) => db.delivery(accountId, deliveryId)),
  sendMatch: (sending) => write('sendMatch', sending),
  attemptsOf: (query) => read((db) => db.attemptsOf(query)),
  redeliver: (accountId, deliveryId, now) => write('redeliver', accountId, deliveryId, now),
  redeliverSince: (accountId, webhookId, since, now) => redeliverSince(write, accountId, webhookId, since, now),
  agenda: (of) => read((db) => db.agenda(of)),
  claimWebhook: (webhookId, claim) => write('claimWebhook', webhookId, claim),
  releaseWebhooks: (holder) => write('releaseWebhooks', holder),
  owedMatches: (webhookId, until, limit, bytes) => read((db) => db.owedMatches(webhookId, until, limit, bytes)),
  freeze: (batch) => write('freeze', batch),
  wakeStories: (webhookId, stories) => read((db) => db.wakeStories(webhookId, stories)),
  async closeDigest(deliveryId) {
    await write('closeDigest', deliveryId);
    return read((db) => db.heldIn(deliveryId));
  },
  matchesAt: (positions) => read((db) => db.matchesAt(positions)),
  sealDigest: (sealed) => write('sealDigest', sealed),
  pendingDeliveries: (webhookId, limit) => read((db) => db.pendingDeliveries(webhookId, limit)),
  pendingBody: (deliveryId) => read((db) => db.pendingBody(deliveryId)),
  recordAttempt: (record) => write('recordAttempt', record),
  addNotices: (notices) => write('addNotices', notices),
  owedBacklog: (limit) => read((db) => db.owedBacklog(limit)),
});

export const sharedFeedCalls = ({ read, write }: Calls): SharedFeedStore => ({
  addSharedFeed: (...given) => write('addSharedFeed', ...given),
  sharedFeeds: (accountId) => read((db) => db.sharedFeeds(accountId)),
  sharedFeedByDigest: (digest) => read((db) => db.sharedFeedByDigest(digest)),
  deleteSharedFeed: (accountId, feedId, note) => write('deleteSharedFeed', accountId, feedId, note),
});

export const subscriptionCalls = ({ read, write }: Calls): SubscriptionStore => ({
  subscriptions: (accountId) => read((db) => db.subscriptions(accountId)),
  saveSubscription: (webhook, limits) => write('saveSubscription', webhook, limits),
  endSubscription: (webhookId, reason) => write('endSubscription', webhookId, reason),
  subscribers: (event) => read((db) => db.subscribers(event)),
  async replay(webhookId, after, limit) {
    const start = await write('replay', webhookId, after, limit);
    while (await write('dropWaiting', webhookId, start)) await breathe();
    return start;
  },
  dropOwed: (webhookId, positions) => write('dropOwed', webhookId, positions),
  storyBeginnings: (positions) => read((db) => db.storyBeginnings(positions)),
  watermark: (webhookId, now) => read((db) => db.watermark(webhookId, now)),
});

export const upstreamCalls = ({ read, write }: Calls): UpstreamStore & UsageStore => ({
  takeLease: (wish) => write('takeLease', wish),
  releaseLease: (lease) => write('releaseLease', lease),
  broken: (platform, limit) => read((db) => db.broken(platform, limit)),
  usage: (accountId, platform, month) => read((db) => db.usage(accountId, platform, month)),
  ruleUsage: (accountId, platform, month, limit) => read((db) => db.ruleUsage(accountId, platform, month, limit)),
});

export const coverageCalls = ({ read, write }: Calls): CoverageStore => ({
  gaps: (query) => read((db) => db.gaps(query)),
  openGaps: (platform) => read((db) => db.openGaps(platform)),
  noteGaps: (gaps) => write('noteGaps', gaps),
  coverage: (platform) => read((db) => db.coverage(platform)),
  feeds: (platform, accountId) => read((db) => db.feeds(platform, accountId)),
  noteFeeds: (reports) => write('noteFeeds', reports),
  readings: (source, from, to) => read((db) => db.readings(source, from, to)),
  keepSources: (platform, names) => write('keepSources', platform, names),
  rulesWith: (platform, value, flags) => read((db) => db.rulesWith(platform, value, flags)),
});

export const rehearsalCalls = ({ read, write }: Calls): RehearsalStore => ({
  addRehearsal: (rehearsal, limits) => write('addRehearsal', rehearsal, limits),
  rehearsal: (accountId, rehearsalId) => read((db) => db.rehearsal(accountId, rehearsalId)),
  rehearsals: (accountId, limit) => read((db) => db.rehearsals(accountId, limit)),
  cancelRehearsal: (accountId, rehearsalId, now) => write('cancelRehearsal', accountId, rehearsalId, now),
  firstRehearsal: () => read((db) => db.firstRehearsal()),
  openRehearsal: (rehearsalId) => read((db) => db.openRehearsal(rehearsalId)),
  keepRehearsal: (lease, step) => write('keepRehearsal', lease, step),
});

export const nodeCalls = ({ read, write }: Calls): NodeStore => ({
  isShared: false,
  // One process serves from a file, and knows what it writes.
  bell: async () => async () => {},
  news: () => read((db) => db.news()),
  ruleChanges: (after, limit) => read((db) => db.ruleChanges(after, limit)),
  markRuleChanges: (mark) => write('markRuleChanges', mark),
  reportNode: (node, now, milliseconds) => write('reportNode', node, now, milliseconds),
  removeNode: (id) => write('removeNode', id),
  nodes: (now) => read((db) => db.nodes(now)),
});
