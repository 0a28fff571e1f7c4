import type { Platform } from '../../domain/platform.ts';
import { PlatformError, type PlatformFault } from '../../platforms/platform.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { ACCOUNT_LIMITS } from '../limits.ts';

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
