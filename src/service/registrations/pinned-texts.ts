/** Texts that a request makes platforms hold, until a stored rule needs them or the request has failed. */
import type { Platform } from '../../domain/platform.ts';
import { type LivePlatform, PlatformError, type PlatformFault } from '../../platforms/platform.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { ACCOUNT_LIMITS } from '../limits.ts';
import type { Log } from '../telemetry.ts';
import type { HeldIds } from './holding.ts';
import { activeHolders } from './registration-lifecycle.ts';
import type { RegistrationQueue } from './registration-queue.ts';

/**
 * While it is open, the texts stay held although no stored rule may need them. Disposed without `keep`, it removes the
 * copies that no rule needs: a caller that stored a rule for them deletes that rule before.
 */
export interface PinnedTexts extends AsyncDisposable {
  /** Makes every platform hold its text, and answers with their ids. Throws when one of them cannot. */
  hold(): Promise<HeldIds>;
  /** A stored rule needs the texts from now on. */
  keep(): void;
}

export interface PinnedText {
  readonly platform: LivePlatform;
  readonly text: RuleText;
  /** It is undefined for a local platform. */
  readonly queue: RegistrationQueue | undefined;
}

interface Deps {
  readonly store: Pick<Store, 'changeRegistrations'>;
  readonly log: Log;
}

export function pinTexts({ store, log }: Deps, places: readonly PinnedText[]): PinnedTexts {
  const ids: HeldIds = {};
  let isKept = false;
  for (const { queue, text } of places) queue?.pin(text);
  return {
    async hold() {
      for (const place of places) ids[place.platform.name] = await holdOn(place);
      return ids;
    },
    keep() {
      isKept = true;
    },
    async [Symbol.asyncDispose]() {
      for (const { queue, text } of places) queue?.unpin(text);
      for (const { platform, queue, text } of places) {
        try {
          if (isKept) await noteMove(store, platform.name, queue, text, ids[platform.name]);
          else await queue?.release(text);
        } catch (error) {
          // The request has its answer already. A release is tried again by the queue.
          log.warn({ platform: platform.name, err: error }, 'registrations could not be tidied up after a request');
        }
      }
    },
  };
}

async function holdOn({ platform, queue, text }: PinnedText): Promise<string> {
  try {
    return await (queue === undefined ? registerLocally(platform, text) : queue.hold(text));
  } catch (error) {
    throw platformFailure(platform.name, error);
  }
}

/** The text may have moved to another registration before its rule was stored with the id. */
async function noteMove(
  store: Deps['store'],
  platform: Platform,
  queue: RegistrationQueue | undefined,
  text: RuleText,
  id: string | undefined,
): Promise<void> {
  const now = queue?.idOf(text);
  if (now !== undefined && now !== id)
    await store.changeRegistrations({ holders: activeHolders(platform, [text], now) });
}

/** A local platform makes the id from the text: no call is made, and nothing is stored. */
async function registerLocally(platform: LivePlatform, { value, flags }: RuleText): Promise<string> {
  const [answer] = await platform.register([{ value, flags, tag: '' }]);
  if (answer === undefined) throw new PlatformError('unreachable', 'The platform did not say what became of the rule.');
  if ('error' in answer) throw answer.error;
  return answer.id;
}

const CODES: Record<PlatformFault, ErrorCode> = {
  refused: 'invalid_argument',
  limit: 'resource_exhausted',
  unreachable: 'unavailable',
  timeout: 'deadline_exceeded',
};

/** Seconds after which trying again makes sense when an upstream that is away states no time of its own. */
const RETRY_AFTER: Partial<Record<PlatformFault, number>> = { unreachable: 10, timeout: 10 };

/** A platform's error as callers of the service see it. The upstream's own words are in the details; other errors pass. */
export function platformFailure(platform: Platform, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  const { fault, message, retryAfter = RETRY_AFTER[fault], upstreamMessage: said } = error;
  const issues = fault === 'refused' ? [{ path: `overrides.${platform}`, message: said ?? message }] : undefined;
  return new ServiceError(
    CODES[fault],
    fault === 'limit' ? `${message} ${ACCOUNT_LIMITS.upstream_rules.more}.` : message,
    {
      cause: error,
      details: {
        platform,
        ...(fault === 'limit' && { limit_code: 'upstream_rules' }),
        ...(issues && { issues }),
        ...(said !== undefined && { upstream_message: said }),
      },
      ...(retryAfter !== undefined && { retryAfter }),
    },
  );
}
