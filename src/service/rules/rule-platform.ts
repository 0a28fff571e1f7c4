/** The platform of a rule that a request is about. */
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { invalidArgument } from '../errors.ts';

/** Asked for, or the only one; refused where the rule is on both and none is named, or is not on the one that is. */
export function platformOf({ platforms }: Rule, asked: Platform | undefined): Platform {
  const names = Object.keys(platforms) as Platform[];
  if (asked === undefined && names.length > 1)
    throw invalidArgument([{ path: 'platform', message: `The rule is on ${names.join(' and ')}: say which one.` }]);
  const name = asked ?? names[0]!;
  if (platforms[name] === undefined)
    throw invalidArgument([{ path: 'platform', message: `The rule is not on ${name}.` }]);
  return name;
}
