/** Top-level domains that make a bare name a link: those of the public suffix list, which holds every one in use. */
import { parse } from 'tldts';

/** X makes links of these too: countries without a suffix on the list, and discontinued domains. */
const OTHERS: ReadonlySet<string> = new Set(
  (
    'an bl bq eh mf tp um za goo sports ' +
    'abarth active adac afamilycompany aigo alfaromeo avianca bananarepublic bentley blanco bnl boots budapest bugatti ' +
    'cancerresearch cartier caseih cbs ceb chloe chrysler cityeats comcast cookingchannel csc dabur dodge doha doosan duck ' +
    'dunlop duns epost esurance etisalat everbank fiat flsmidth foodnetwork frontdoor fujixerox glade goodhands guardian ' +
    'helsinki hgtv honeywell hoteles htc iinet intel iselect iveco iwc jcp jlc juniper kerrylogistics kinder ladbrokes ' +
    'lancaster lancia lancome liaison linde lipsy lixil loft lupin macys maserati mcd mcdonalds meo metlife mobily montblanc ' +
    'mopar movistar mtpc mutual mutuelle nadex nationwide natura newholland northwesternmutual off oldnavy onyourside ' +
    'orientexpress pamperedchef panerai passagens piaget pramerica qvc raid redstone rightathome rmit rocher sapo sca ' +
    'scjohnson scor ses shaw showtime shriram spiegel spreadbetting srt starhub statoil swiftcover symantec telecity ' +
    'telefonica tiffany travelchannel uconnect vista vistaprint volkswagen vuelos warman wolterskluwer xfinity xperia zippo ' +
    '诺基亚 珠宝 手表 工行 大众汽车 موبايلي اتصالات'
  ).split(' '),
);

/** The size of the cache, far more than posts need. A text that names ever new domains only costs look-ups. */
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

/** The longest with letters outside ASCII, in units, is `.vermögensberatung`, with 17. */
const LONGEST_OTHER = 20;

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
  if (text.charCodeAt(end) > 0x7f) {
    const other = endOfOtherTld(text, start, end);
    if (other > 0) return other;
  }
  const isOne = label.length > 1 && label.length <= LONGEST_LABEL && !NOT_BEHIND.test(text.charAt(end)) && isTld(label);
  return isOne ? end : -1;
}

/** A domain with letters outside ASCII may end anywhere in a run of them, so the longest known one counts. */
function endOfOtherTld(text: string, start: number, asciiEnd: number): number {
  const limit = Math.min(text.length, start + LONGEST_OTHER);
  let end = asciiEnd;
  while (end < limit && (text.charCodeAt(end) > 0x7f || /[0-9a-z]/i.test(text.charAt(end)))) end++;
  for (; end > asciiEnd && end - start > 1; end--) {
    if (!NOT_BEHIND.test(text.charAt(end)) && isTld(text.slice(start, end).toLowerCase())) return end;
  }
  return -1;
}
