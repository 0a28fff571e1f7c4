/** Coverage at `/metrics`: of what concerns every account, as any node knows it from the store. */
import { PLATFORMS } from '../domain/platform.ts';
import type { Context } from '../service/context.ts';
import type { AppMetrics } from './metrics.ts';

/** A gap that ended earlier makes no alert. */
const RECENT_MS = 3_600_000;

export function addCoverageGauges({ labelled }: AppMetrics, { coverage, clock }: Context): void {
  const known = () => coverage.of({ platforms: PLATFORMS, gapsSince: new Date(clock.now().getTime() - RECENT_MS) });
  labelled(
    'sluice_coverage_complete',
    'Whether nothing is known to be missing, with the gaps of the last hour: 1 or 0.',
    ['platform'],
    async () => {
      const { platforms } = await known();
      return PLATFORMS.map((platform) => ({ labels: { platform }, value: Number(platforms[platform]!.complete) }));
    },
  );
  labelled(
    'sluice_coverage_reason',
    'Why events may be missing: 1 for each reason that holds.',
    ['platform', 'reason'],
    async () => {
      const { platforms } = await known();
      return PLATFORMS.flatMap((platform) =>
        platforms[platform]!.reasons.map((reason) => ({ labels: { platform, reason }, value: 1 })),
      );
    },
  );
}
