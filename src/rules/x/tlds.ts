/** Top-level domains that make a bare name a link: those of the public suffix list, which holds every one in use. */
import { parse } from 'tldts';

/** X makes links of these too: countries without a suffix of their own on the list, and some that were given up. */
const OTHERS: ReadonlySet<string> = new Set('an bl bq eh goo mf sports tp um za'.split(' '));

/** Far more than posts name; a text made to name ever new ones only costs the asking. */
const MOST_KEPT = 4096;
const kept = new Map<string, boolean>();

function isTld(name: string): boolean {
  const known = kept.get(name);
  if (known !== undefined) return known;
  // Some, like `.ck`, have suffixes of two labels only, so a name below one is asked about.
  const answer = OTHERS.has(name) || parse(`a.b.${name}`, ASKED).isIcann === true;
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(name, answer);
  return answer;
}

const ASKED = { extractHostname: false, validateHostname: false, detectIp: false };

/** The longest outside ASCII, in units, is `.சிங்கப்பூர்`, with 11. */
const LONGEST_OTHER = 16;

/** Domain names have no longer label. */
const LONGEST_LABEL = 63;

const ASCII_LABEL = /[-0-9a-z]*/iy;
const NOT_BEHIND = /[0-9a-z@+-]/i;

/**
 * The end of a top-level domain that starts here, or −1. What follows it may be anything but an ASCII letter or digit,
 * `@`, `+` and `-`: links stand between Chinese or Japanese characters without blanks.
 */
export function endOfTld(text: string, start: number): number {
  ASCII_LABEL.lastIndex = start;
  const label = ASCII_LABEL.exec(text)![0].toLowerCase();
  const end = start + label.length;
  if (label.startsWith('xn--')) return label.length > 4 ? end : -1;
  if (label.length > 1) {
    return label.length <= LONGEST_LABEL && !NOT_BEHIND.test(text.charAt(end)) && isTld(label) ? end : -1;
  }
  return label.length === 0 ? endOfOtherTld(text, start) : -1;
}

/** One in another script may end anywhere in a run of letters, so the longest that is known is taken. */
function endOfOtherTld(text: string, start: number): number {
  let end = start;
  const limit = Math.min(text.length, start + LONGEST_OTHER);
  while (end < limit && text.charCodeAt(end) > 0x7f) end++;
  for (; end - start > 1; end--) {
    if (!NOT_BEHIND.test(text.charAt(end)) && isTld(text.slice(start, end).toLowerCase())) return end;
  }
  return -1;
}
