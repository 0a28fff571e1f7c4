import type { Platform } from '../../domain/platform.ts';
import { PlatformError, type PlatformFault } from '../../platforms/platform.ts';
import { type ErrorCode, invalidArgument, ServiceError } from '../errors.ts';

const CODES: Record<Exclude<PlatformFault, 'refused'>, ErrorCode> = {
  limit: 'resource_exhausted',
  unreachable: 'unavailable',
  timeout: 'deadline_exceeded',
};

/** What a platform could not do, as a caller of the service sees it; anything else is passed on as it is. */
export function asServiceError(platform: Platform, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  if (error.fault === 'refused') return invalidArgument([{ path: `overrides.${platform}`, message: error.message }]);
  const retry = error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter };
  return new ServiceError(CODES[error.fault], error.message, { cause: error, details: { platform }, ...retry });
}
