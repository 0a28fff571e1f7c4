/** The real platforms of a node, and how it takes from them: the part of the settings that not every role needs. */
import { holdsRules } from '../service/parts/ground.ts';
import type { Config } from './config.ts';

const SET = 'set';
const NOT_SET = 'not set';

/**
 * A node that holds rules would register those of a real platform with itself, if it took the platform for its own. One that
 * only delivers, or only hands the events of open sources to a broker, may do without the token and all that goes with it.
 */
export function upstreamsHere({
  roles,
  natsUrl,
  upstreams: { x, firehose },
  xWebhook,
}: Config): Readonly<Record<string, string>> {
  const isSet = (upstream: object | undefined) => (upstream === undefined ? NOT_SET : SET);
  const shapeOf = (upstream: object | undefined) => (upstream === undefined ? 'local' : 'upstream');
  const platforms = { x: { shape: shapeOf(x) }, firehose: { shape: shapeOf(firehose) } } as const;
  const takesFromX = roles.includes('api') || roles.includes('connector');
  return {
    ...(holdsRules({ roles, platforms, broker: natsUrl }) && {
      SLUICE_X_BEARER_TOKEN: isSet(x),
      SLUICE_FIREHOSE_TOKEN: isSet(firehose),
    }),
    ...(x && { SLUICE_X_SLOTS: String(x.slots ?? 'off') }),
    ...(firehose && { SLUICE_FIREHOSE_SLOTS: String(firehose.slots ?? 'off') }),
    ...(x && takesFromX && { SLUICE_X_DELIVERY: xWebhook === undefined ? 'stream' : 'webhook' }),
  };
}

/** The first words of the advice to a node that differs from the value that is held. */
export function remedy(held: string): string {
  if (held === SET) return 'Set it';
  return held === NOT_SET ? 'Unset it' : `Set it to ${held}`;
}
