import { useMemo } from 'react';
import { useAlerts, useRules, useStatus, useWebhooks } from '../data/queries.ts';
import { type Concern, concernsOf, isTrouble } from './attention.ts';

/** Returns undefined until everything that could be wrong is known. */
export function useAttention(): Concern[] | undefined {
  const { data: status } = useStatus();
  const { data: webhooks } = useWebhooks();
  const { data: rules } = useRules();
  const { data: alerts } = useAlerts();
  return useMemo(
    () =>
      status === undefined || webhooks === undefined || rules === undefined
        ? undefined
        : concernsOf(status, webhooks, rules, alerts),
    [status, webhooks, rules, alerts],
  );
}

/** For every page, so without the rules, which may be thousands: what keeps them from running is in the status. */
export function useIsTroubled(): boolean {
  const { data: status } = useStatus();
  const { data: webhooks } = useWebhooks();
  return useMemo(() => concernsOf(status, webhooks).some(isTrouble), [status, webhooks]);
}
