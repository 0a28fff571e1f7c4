/** Coverage as every answer tells it: whether something may be missing, why, and whether the events are invented. */
import { z } from 'zod';
import type { Platform } from '../domain/platform.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { type AssessmentJson, recentCoverage } from '../service/coverage/coverage.ts';

export const toldCoverage = z.object({
  complete: z.boolean(),
  complete_through: z.string().nullable(),
  reasons: z.array(z.string()),
  note: z.string().optional(),
});
type ToldCoverage = z.input<typeof toldCoverage>;

export const exampleCoverage: ToldCoverage = {
  complete: true,
  complete_through: '2026-11-15T08:31:00.000Z',
  reasons: [],
};

const INVENTED = 'The demo feed plays: what it invents has `demo: true`. Report none of that as real.';

export const tellCoverage = ({
  complete,
  complete_through,
  reasons,
}: Pick<AssessmentJson, 'complete' | 'complete_through' | 'reasons'>): ToldCoverage => ({
  complete,
  complete_through,
  reasons,
  ...(reasons.includes('demo') && { note: INVENTED }),
});

interface Scope {
  readonly ruleId?: string | undefined;
  readonly platform?: Platform | undefined;
  readonly platforms?: readonly Platform[] | undefined;
}

/** As it is now. Those who ask the same, and may know of the same rules, share one answer at a time. */
export async function coverageNow(context: Context, { account, grant }: Caller, scope: Scope): Promise<ToldCoverage> {
  const wanted = { ...scope, ruleIds: grant?.ruleIds };
  return tellCoverage(
    await context.matchSignals.once(`coverage ${account.id} ${JSON.stringify(wanted)}`, () =>
      recentCoverage(context, account.id, wanted),
    ),
  );
}
