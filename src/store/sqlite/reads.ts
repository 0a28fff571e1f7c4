/** All that is read. Reads are short and stay in the thread that asks. */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { accountReads } from './accounts.ts';
import { answerReads } from './answers.ts';
import { deliveryReads } from './deliveries.ts';
import { matchReads } from './matches.ts';
import { minuteReads } from './minutes.ts';
import { nodeReads } from './nodes.ts';
import { owedReads } from './owed.ts';
import { passReads } from './passes.ts';
import { recentReads } from './recent.ts';
import { registrationReads } from './registrations.ts';
import { ruleReads } from './rules.ts';
import { upstreamReads } from './upstreams.ts';
import { usageReads } from './usage.ts';
import { versionReads } from './version.ts';
import { webhookReads } from './webhooks.ts';

/** Lets other work of the program go on between two slices. */
export const breathe = (): Promise<void> => setImmediate();

export const readsOf = (db: DatabaseSync) => ({
  ...accountReads(db),
  ...ruleReads(db),
  ...registrationReads(db),
  ...answerReads(db),
  ...matchReads(db, breathe),
  ...minuteReads(db),
  ...recentReads(db),
  ...webhookReads(db),
  ...owedReads(db),
  ...deliveryReads(db),
  ...upstreamReads(db),
  ...usageReads(db),
  ...nodeReads(db),
  ...passReads(db),
  ...versionReads(db),
});
