/** One line for each kind of caller says who may call what, so that a change of it is seen and meant. */
import { expect, it } from 'vitest';
import { operations } from '../operations.ts';
import type { Operation } from './operation.ts';

const all: readonly (readonly [string, Operation])[] = Object.entries(operations);

/** Names by the key that is needed, and by what an agent with a token may do with them. */
const MAY_CALL: Readonly<Record<string, readonly string[]>> = {
  'a key that reads; an agent for its rules':
    'acknowledgeWake certify draftRule explainMatch getRule listAlerts listMatches listRules listStories matchCounts matchFacets platformSyntax platformValues ruleOverlap status suggestChanges validateRule'.split(
      ' ',
    ),
  'a key that reads; an agent for all rules':
    'explainEvent getRehearsal getSource listRehearsals listSources nearMisses previewRule translateRule'.split(' '),
  'a key that reads; no agent':
    'createEntryTicket createSession createStreamTicket listDeliveries listFeeds listGrants listKeys listSilences listSubscriptions listViews listWakes listWebhooks nextWake previewMessage rehearseWake webhookStats'.split(
      ' ',
    ),
  'a full key; an agent for its rules': 'deleteRule rateMatch restoreRule updateRule'.split(' '),
  'a full key; an agent for all rules':
    'cancelRehearsal createRule createSource deleteSource discoverSource rehearseRule testSource updateSource'.split(
      ' ',
    ),
  'a full key; no agent':
    'createFeed createKey createSilence createView createWebhook deleteFeed deleteMatches deleteView deleteWebhook endSilence endSubscription listChanges redeliverWebhook revokeGrant revokeKey sendMatch testWebhook updateWebhook'.split(
      ' ',
    ),
  'a key that pushes; no agent': ['pushEvents'],
  'a full key of the operator; no agent': [
    'listUsage',
    'resumeAccount',
    'setAccountLimits',
    'setDemo',
    'suspendAccount',
  ],
};

const KEYS: Readonly<Record<string, string>> = {
  read: 'a key that reads',
  full: 'a full key',
  ingest: 'a key that pushes',
  operator: 'a full key of the operator',
};
const AGENTS: Readonly<Record<string, string>> = { rules: 'an agent for its rules', account: 'an agent for all rules' };

it('is called by those who may, and by no other', () => {
  const callers = ({ access, grants }: Operation) =>
    `${KEYS[access]}; ${grants === undefined ? 'no agent' : AGENTS[grants]}`;
  const found = Map.groupBy(all, ([, one]) => callers(one));
  const named = [...found].map(([who, list]) => [who, list.map(([name]) => name).toSorted()]);
  expect(Object.fromEntries(named)).toEqual(MAY_CALL);
});

it('has the name under which it is found', () => {
  expect(all.filter(([name, one]) => one.name !== name)).toEqual([]);
});
