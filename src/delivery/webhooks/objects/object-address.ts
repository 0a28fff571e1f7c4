/** The address of objects of an account: not in our own network, unless the operator allows that. */
import { bucketAddressProblem } from '../../../base/object-address.ts';
import { webhookUrlProblem } from '../egress.ts';

/** Why objects cannot go to this address; undefined when they can. */
export const objectAddressProblem = (url: URL, allowPrivate: boolean): string | undefined =>
  bucketAddressProblem(url, (endpoint) => webhookUrlProblem(endpoint, allowPrivate));
