/** An http or https address, as sources take it in their options. */
import { z } from 'zod';
import { authorityOf, parseUrl } from '../../base/parse-url.ts';
import { LONGEST_ADDRESS } from '../../domain/source.ts';

/** The limits of names in the DNS. Hundreds of addresses with longer ones would take a second to parse. */
const LONGEST_HOST = 253;
const LONGEST_LABEL = 63;

/** Whether no name in the DNS is so long. It is told without parsing the address. */
export function isHostTooLong(address: string): boolean {
  const authority = authorityOf(address);
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return (
    host.length > LONGEST_HOST ||
    (!host.startsWith('[') && host.split(/[.。．｡]/).some((label) => label.length > LONGEST_LABEL))
  );
}

function problemOf(address: string): string | undefined {
  if (address.length > LONGEST_ADDRESS) return `must have at most ${LONGEST_ADDRESS} characters`;
  if (isHostTooLong(address))
    return `must have a host of at most ${LONGEST_HOST} characters, and of ${LONGEST_LABEL} between two dots`;
  return /^https?:$/.test(parseUrl(address)?.protocol ?? '') ? undefined : 'must be an http or https address';
}

export const webAddress = z
  .string()
  .trim()
  .superRefine((address, check) => {
    const problem = problemOf(address);
    if (problem !== undefined) check.addIssue(problem);
  });
