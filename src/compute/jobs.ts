/** The jobs that compute threads know, by name. One that is missing here cannot be asked for: a test compares. */
import type { Job } from '../service/compute.ts';
import type { ReadContext } from '../service/context.ts';
import { certifiedMatches } from '../service/matches/certify.ts';
import { mergeColdObjects, rewriteColdObject, writeColdObject } from '../service/matches/cold-objects.ts';
import { explainMatch } from '../service/matches/explain-match.ts';
import { exportEnd, exportPage } from '../service/matches/export-matches.ts';
import { listStories } from '../service/matches/list-stories.ts';
import { matchCounts } from '../service/matches/match-counts.ts';
import { matchFacets } from '../service/matches/match-facets.ts';
import { matchPage, matchPageText } from '../service/matches/matches.ts';
import { sharedFeedPage } from '../service/matches/read-feed.ts';
import { rehearseWake } from '../service/matches/rehearse-wake.ts';
import { ruleOverlap } from '../service/matches/rule-overlap.ts';
import { jobOf, textJobOf } from '../service/perform/perform.ts';
import { checkRule } from '../service/previews/check-rule.ts';
import { nearMisses } from '../service/previews/near-misses.ts';
import { previewRule } from '../service/previews/preview-rule.ts';
import { translateRule } from '../service/previews/translate-rule.ts';
import { validateRule } from '../service/previews/validate-rule.ts';
import { rehearseRecent } from '../service/rehearsal/recent.ts';
import { newTextProblems, textProblems } from '../service/rules/rule-problems.ts';
import { draftRule } from '../service/suggestions/draft-rule.ts';
import { explainEvent } from '../service/suggestions/explain-event.ts';
import { suggestChanges } from '../service/suggestions/suggest-changes.ts';
import { webhookStats } from '../service/webhooks/webhook-stats.ts';

export const computedOperations = [
  explainMatch,
  explainEvent,
  listStories,
  matchCounts,
  matchFacets,
  ruleOverlap,
  rehearseWake,
  nearMisses,
  previewRule,
  translateRule,
  validateRule,
  draftRule,
  suggestChanges,
  webhookStats,
];

/** The callers of a job know the type of its input. */
type AnyJob = Job<ReadContext, never, unknown>;

const jobs: readonly AnyJob[] = [
  ...computedOperations.flatMap((operation) => [jobOf(operation), textJobOf(operation)]),
  checkRule,
  matchPage,
  matchPageText,
  exportPage,
  exportEnd,
  certifiedMatches,
  sharedFeedPage,
  rehearseRecent,
  textProblems.job,
  newTextProblems.job,
  writeColdObject,
  rewriteColdObject,
  mergeColdObjects,
];

const byName = new Map(jobs.map((job) => [job.name, job]));

/** The caller sends an input that the job of that name takes. */
export function runJob(context: ReadContext, name: string, input: unknown): Promise<unknown> {
  const job = byName.get(name);
  if (job === undefined) throw new Error(`There is no job ${name}.`);
  return job.run(context, input as never);
}
