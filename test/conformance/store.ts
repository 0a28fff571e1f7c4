/** The duties of every store, whatever database it stands on. A store's own test calls this with a way to open one. */
import { describe } from 'vitest';
import { accountUseCases, restrictedCases } from './store/account-use.ts';
import { accountCases } from './store/accounts.ts';
import { agreedSettingCases } from './store/agreed-settings.ts';
import { alertCases } from './store/alerts.ts';
import { answerCases } from './store/answers.ts';
import { carrierCases } from './store/carriers.ts';
import { certificateLogCases } from './store/certificate-log.ts';
import { changeCases } from './store/changes.ts';
import { chartCases } from './store/charts.ts';
import { closedCases } from './store/closed.ts';
import { coldCases } from './store/cold.ts';
import { commitCases } from './store/commits.ts';
import { erasureCases } from './store/erasure.ts';
import { grantCases } from './store/grants.ts';
import { inboxCases } from './store/inbox.ts';
import { judgingCases } from './store/judging.ts';
import { listCases } from './store/lists.ts';
import { nodeCases } from './store/nodes.ts';
import { openNoticeCases } from './store/open-notices.ts';
import { passCases } from './store/passes.ts';
import { pastTextCases } from './store/past-texts.ts';
import { ratingCases } from './store/ratings.ts';
import { recentCases } from './store/recent.ts';
import { registrationCases } from './store/registrations.ts';
import { rehearsalCases } from './store/rehearsals.ts';
import { removalCases } from './store/removal.ts';
import { ruleSnapshotCases } from './store/rule-snapshots.ts';
import { ruleCases } from './store/rules.ts';
import { sharedFeedCases } from './store/shared-feeds.ts';
import { silenceCases } from './store/silences.ts';
import { sourceCases } from './store/sources.ts';
import type { Open } from './store/stage.ts';
import { storyCases } from './store/stories.ts';
import { stringCases } from './store/strings.ts';
import { subscriptionCases } from './store/subscriptions.ts';
import { platformCases, trashCases } from './store/trash.ts';
import { upstreamCases } from './store/upstreams.ts';
import { viewCases } from './store/views.ts';
import { wakeCases } from './store/wakes.ts';
import { webhookCases } from './store/webhooks.ts';

export function storeConformance(name: string, open: Open): void {
  describe(`store: ${name}`, () => {
    describe('accounts and keys', () => {
      accountCases(open);
    });
    describe('limits and suspension of accounts', () => {
      restrictedCases(open);
    });
    describe('what accounts use', () => {
      accountUseCases(open);
    });
    describe('settings that all nodes share', () => {
      agreedSettingCases(open);
    });
    describe('a session or ticket', () => {
      passCases(open);
    });
    describe('grants', () => {
      grantCases(open);
    });
    describe('rules', () => {
      ruleCases(open);
    });
    describe('the texts of earlier versions of a rule', () => {
      pastTextCases(open);
    });
    describe('platforms of a rule', () => {
      platformCases(open);
    });
    describe('deleted rules', () => {
      trashCases(open);
    });
    describe('sources of accounts', () => {
      sourceCases(open);
    });
    describe('snapshots of the rules', () => {
      ruleSnapshotCases(open);
    });
    describe('notices of what lasts', () => {
      openNoticeCases(open);
    });
    describe('silences', () => {
      silenceCases(open);
    });
    describe('saved views', () => {
      viewCases(open);
    });
    describe('registrations', () => {
      registrationCases(open);
    });
    describe('repeated requests', () => {
      answerCases(open);
    });
    describe('commits', () => {
      commitCases(open);
    });
    describe('lists of matches', () => {
      listCases(open);
    });
    describe('old matches in objects', () => {
      coldCases(open);
    });
    describe('stories', () => {
      storyCases(open);
    });
    describe('charts', () => {
      chartCases(open);
    });
    describe('recent events', () => {
      recentCases(open);
    });
    describe('rehearsals', () => {
      rehearsalCases(open);
    });
    describe('removal', () => {
      removalCases(open);
    });
    describe('changes', () => {
      changeCases(open);
    });
    describe('alerts', () => {
      alertCases(open);
    });
    describe('the judge', () => {
      judgingCases(open);
    });
    describe('ratings', () => {
      ratingCases(open);
    });
    describe('erasure', () => {
      erasureCases(open);
    });
    describe('an erasure of what carries a post', () => {
      carrierCases(open);
    });
    describe('subscriptions of agents', () => {
      subscriptionCases(open);
    });
    describe('shared feeds', () => {
      sharedFeedCases(open);
    });
    describe('webhooks and deliveries', () => {
      webhookCases(open);
    });
    describe('wakes and digests', () => {
      wakeCases(open);
    });
    describe('upstreams', () => {
      upstreamCases(open);
      inboxCases(open);
    });
    describe('the log of certificates', () => {
      certificateLogCases(open);
    });
    describe('several nodes', () => {
      nodeCases(open);
    });
    describe('once it is closed', () => {
      closedCases(open);
    });
    describe('strings', () => {
      stringCases(open);
    });
  });
}
