/** Every bug, by the part of the program that it is in. */
import type { Bug } from './bug.ts';
import { clusterBugs } from './catalogue/cluster.ts';
import { coverageBugs } from './catalogue/coverage.ts';
import { cursorsBugs } from './catalogue/cursors.ts';
import { deliveryBugs } from './catalogue/delivery.ts';
import { erasureBugs } from './catalogue/erasure.ts';
import { fixesBugs } from './catalogue/fixes.ts';
import { ingestBugs } from './catalogue/ingest.ts';
import { judgeBugs } from './catalogue/judge.ts';
import { leasesBugs } from './catalogue/leases.ts';
import { mcpBugs } from './catalogue/mcp.ts';
import { messagesBugs } from './catalogue/messages.ts';
import { noticesBugs } from './catalogue/notices.ts';
import { oauthBugs } from './catalogue/oauth.ts';
import { powerBugs } from './catalogue/power.ts';
import { rulesBugs } from './catalogue/rules.ts';
import { secretsBugs } from './catalogue/secrets.ts';
import { signalBugs } from './catalogue/signal.ts';
import { sourcesBugs } from './catalogue/sources.ts';
import { storeBugs } from './catalogue/store.ts';
import { tenantsBugs } from './catalogue/tenants.ts';

export const BUGS_BY_AREA: Readonly<Record<string, readonly Bug[]>> = {
  ingest: ingestBugs,
  store: storeBugs,
  cursors: cursorsBugs,
  tenants: tenantsBugs,
  leases: leasesBugs,
  coverage: coverageBugs,
  rules: rulesBugs,
  fixes: fixesBugs,
  delivery: deliveryBugs,
  secrets: secretsBugs,
  oauth: oauthBugs,
  mcp: mcpBugs,
  erasure: erasureBugs,
  signal: signalBugs,
  messages: messagesBugs,
  judge: judgeBugs,
  sources: sourcesBugs,
  notices: noticesBugs,
  cluster: clusterBugs,
  power: powerBugs,
};

export const BUGS: readonly Bug[] = Object.values(BUGS_BY_AREA).flat();
