/** Why the server did not take a rule, in words: who refused it, what, and what to do next. Pure. */
import type { SluiceError } from '../../../packages/client/src/index.ts';
import type { Platform } from '../data/queries.ts';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { type Draft, PLATFORMS } from './draft.ts';

type Refused = Pick<SluiceError, 'message' | 'details' | 'issues'>;

export interface RefusalWords {
  readonly who?: string;
  readonly reasons: readonly string[];
  readonly next?: string;
}

export function refusalWords(error: Refused): RefusalWords {
  const said = error.details['upstream_message'];
  if (typeof said === 'string')
    return {
      who: error.message,
      reasons: [`It says: “${said}”`],
      next: 'Nothing was saved. Change the text, or leave this platform out, and try again.',
    };
  if (error.issues.length === 0) return { reasons: [error.message] };
  return {
    reasons: error.issues.map(({ path, message }) => {
      const platform = platformAt(path);
      return platform === undefined ? message : `In the rule for ${PLATFORM_WORDS[platform]}: ${message}`;
    }),
  };
}

const platformAt = (path: string): Platform | undefined =>
  PLATFORMS.find((platform) => path === `overrides.${platform}` || path.startsWith(`overrides.${platform}.`));

/** The platforms whose text was refused and is still as it was then. */
export function refusedPlatforms(
  error: Refused | null,
  sent: Draft['texts'] | undefined,
  { texts }: Pick<Draft, 'texts'>,
): readonly Platform[] {
  const named = (error?.issues ?? []).flatMap(({ path }) => platformAt(path) ?? []);
  return named.filter((platform) => texts[platform]?.trim() === sent?.[platform]?.trim());
}
