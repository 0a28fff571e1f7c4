/**
 * Turns HTML into the text that a reader sees: tags go, blocks become lines, references become characters. It makes one
 * pass and builds no tree, because every post of every source comes through here.
 */

/** Longer posts are cut, to bound the time that one post takes. */
const MAX_POST = 128 * 1024;

/** Elements whose content readers do not see. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg']);
/** Nothing in these elements is markup but their end. */
const RAW_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ['script', /<\/script[\s/>]/gi],
  ['style', /<\/style[\s/>]/gi],
  ['noscript', /<\/noscript[\s/>]/gi],
  ['iframe', /<\/iframe[\s/>]/gi],
  ['textarea', /<\/textarea[\s/>]/gi],
  ['title', /<\/title[\s/>]/gi],
]);
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);

export const plainText = (html: string, longest = MAX_POST): string => readHtml(html, longest).text;

/** A link as readers see it: where its text stands in the whole, in UTF-16 units. */
export interface HtmlLink {
  readonly href: string;
  readonly start: number;
  readonly end: number;
}

/** The text, and the links in it that show something. */
export function readHtml(html: string, longest = MAX_POST): { text: string; links: HtmlLink[] } {
  let raw = '';
  let hidden: string | undefined;
  const anchors: { href: string; from: number; to: number }[] = [];
  let open: { href: string; from: number } | undefined;
  for (const { before, name, closes, hides, tag } of piecesOf(html.slice(0, longest))) {
    if (hidden === undefined) {
      raw += decodeReferences(before);
      if (BLOCKS.has(name)) raw += '\n';
      if (hides) hidden = name;
    } else if (closes && name === hidden) hidden = undefined;
    if (name === 'a' && open !== undefined) anchors.push({ ...open, to: raw.length });
    if (name === 'a') open = closes || hidden !== undefined ? undefined : { href: hrefIn(tag), from: raw.length };
  }
  const text = tidy(raw);
  return { text, links: anchors.length === 0 ? [] : placed(anchors, raw, text) };
}

const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

function hrefIn(tag: string): string {
  const [, double, single, bare] = HREF.exec(tag) ?? [];
  return decodeReferences(double ?? single ?? bare ?? '').trim();
}

/** Only white space differs between the two texts, so that places are found by counting all else. */
function placed(anchors: readonly { href: string; from: number; to: number }[], raw: string, text: string): HtmlLink[] {
  const counts = new Uint32Array(raw.length + 1);
  for (let at = 0; at < raw.length; at++) counts[at + 1] = counts[at]! + Number(!isSpace(raw, at));
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) if (!isSpace(text, at)) places.push(at);
  return anchors.flatMap(({ href, from, to }) => {
    const [first, last] = [counts[from]!, counts[to]! - 1];
    return last < first ? [] : [{ href, start: places[first]!, end: places[last]! + 1 }];
  });
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text[at]!);

/** Text, and the tag that ends it: its name in lower case, or empty for a comment and at the end. */
interface Piece {
  readonly before: string;
  readonly name: string;
  readonly closes: boolean;
  /** Readers do not see what follows until the element is closed. */
  readonly hides: boolean;
  /** The whole tag of a link; empty for others, which nobody reads. */
  readonly tag: string;
}

function* piecesOf(html: string): Iterable<Piece> {
  const endOfTag = tagEnds(html);
  const endOfRaw = rawEnds(html);
  let last = 0;
  let next = 0;
  // A head need not be closed, so its elements are hidden one by one. Elsewhere a title is text: lists in XML have titles.
  let hasHead = false;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', Math.max(next, at + 1))) {
    const opening = html.slice(at, at + 64).match(/^<(?:!--|[!?]|(\/?)([a-zA-Z][^\s/>]*))/);
    if (opening === null) continue;
    const end = opening[0] === '<!--' ? html.indexOf('-->', at) + 2 : endOfTag(at);
    if (end < at) break;
    const name = (opening[2] ?? '').toLowerCase();
    const closes = opening[1] === '/';
    const opens = !closes && html[end - 1] !== '/';
    hasHead ||= name === 'head';
    const hides = opens && (HIDDEN.has(name) || (hasHead && name === 'title'));
    yield { before: html.slice(last, at), name, closes, hides, tag: name === 'a' ? html.slice(at, end) : '' };
    last = end + 1;
    next = hides || (opens && name === 'textarea') ? endOfRaw(name, last) : last;
  }
  yield { before: html.slice(last), name: '', closes: false, hides: false, tag: '' };
}

/**
 * Finds where a tag ends; −1 when it does not. A quote that is never closed is no quote; each kind is searched for once,
 * so that a text full of opening quotes takes no longer than any other.
 */
function tagEnds(html: string): (from: number) => number {
  const unclosed = new Set<string>();
  return (from) => {
    for (let at = from + 1; at < html.length; at++) {
      const character = html[at]!;
      if (character === '>') return at;
      if ((character !== '"' && character !== "'") || unclosed.has(character)) continue;
      const close = html.indexOf(character, at + 1);
      if (close === -1) unclosed.add(character);
      else at = close;
    }
    return -1;
  };
}

/**
 * Finds where the text of an element ends in which nothing is markup; `from` for any other, and for one that is never
 * closed. Each kind is searched for in vain once.
 */
function rawEnds(html: string): (name: string, from: number) => number {
  const unclosed = new Set<string>();
  return (name, from) => {
    const pattern = unclosed.has(name) ? undefined : RAW_ENDS.get(name);
    if (pattern === undefined) return from;
    pattern.lastIndex = from;
    const end = pattern.exec(html)?.index;
    if (end === undefined) unclosed.add(name);
    return end ?? from;
  };
}

/** Collapses white space: single spaces, no empty lines. */
export const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();

/** Whether a text without a declared type looks like HTML. */
export const looksLikeHtml = (text: string): boolean => /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/i.test(text);

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));?/g;

export const decodeReferences = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole: string, decimal?: string, hex?: string, name?: string) =>
        name === undefined
          ? characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
          : named(whole, name),
      )
    : text;

/** Characters of Windows' code page from 128 on, which some authors write as references. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80]!;
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

/** The names of HTML 4: those of the characters from 160 on in order, then the others after their characters. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const OTHERS =
  'ΑAlpha ΒBeta ΧChi ‡Dagger ΔDelta ΕEpsilon ΗEta ΓGamma ΙIota ΚKappa ΛLambda ΜMu ΝNu ŒOElig ΩOmega ΟOmicron ΦPhi ΠPi ″Prime ΨPsi ΡRho ŠScaron ΣSigma ΤTau ΘTheta ΥUpsilon ΞXi ŸYuml ΖZeta ℵalefsym αalpha ∧and ∠ang ≈asymp „bdquo βbeta •bull ∩cap χchi ˆcirc ♣clubs ≅cong ↵crarr ∪cup ⇓dArr †dagger ↓darr δdelta ♦diams ∅empty \u2003emsp \u2002ensp εepsilon ≡equiv ηeta €euro ∃exist ƒfnof ∀forall ⁄frasl γgamma ≥ge ⇔hArr ↔harr ♥hearts …hellip ℑimage ∞infin ∫int ιiota ∈isin κkappa ⇐lArr λlambda 〈lang ←larr ⌈lceil “ldquo ≤le ⌊lfloor ∗lowast ◊loz \u200elrm ‹lsaquo ‘lsquo —mdash −minus μmu ∇nabla –ndash ≠ne ∋ni ∉notin ⊄nsub νnu œoelig ‾oline ωomega οomicron ⊕oplus ∨or ⊗otimes ∂part ‰permil ⊥perp φphi πpi ϖpiv ′prime ∏prod ∝prop ψpsi ⇒rArr √radic 〉rang →rarr ⌉rceil ”rdquo ℜreal ⌋rfloor ρrho \u200frlm ›rsaquo ’rsquo ‚sbquo šscaron ⋅sdot σsigma ςsigmaf ∼sim ♠spades ⊂sub ⊆sube ∑sum ⊃sup ⊇supe τtau ∴there4 θtheta ϑthetasym \u2009thinsp ˜tilde ™trade ⇑uArr ↑uarr ϒupsih υupsilon ℘weierp ξxi ζzeta \u200dzwj \u200czwnj &amp <lt >gt "quot \'apos';

const NAMES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, at) => [name, String.fromCharCode(160 + at)] as const),
  ...OTHERS.split(' ').map((pair) => [pair.slice(1), pair[0]!] as const),
]);

/** An unknown name stays as it was written; the oldest names need no semicolon. */
function named(whole: string, name: string): string {
  if (!whole.endsWith(';') && !/^(amp|lt|gt|quot|nbsp)$/.test(name)) return whole;
  return NAMES.get(name) ?? whole;
}

export interface TextLink {
  readonly url: string;
  readonly at: { readonly start: number; readonly end: number };
}

const ADDRESS = /https?:\/\/[^\s<>"]+/gi;
const CLOSING: ReadonlySet<string> = new Set(".,;:!?'’”»…)]}*_~");
const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Addresses in a text that is not HTML. What closes a sentence or a bracket around an address is not part of it. */
export const linksIn = (text: string): TextLink[] =>
  Array.from(text.matchAll(ADDRESS), ({ 0: found, index }) => {
    const url = trimmed(found);
    return { url, at: { start: index, end: index + url.length } };
  });

/** Up to the first bracket that nothing in it opens, and without what closes a sentence. */
function trimmed(found: string): string {
  let end = unopenedIn(found);
  while (CLOSING.has(found.charAt(end - 1)) && OPENS[found.charAt(end - 1)] === undefined) end--;
  return found.slice(0, end);
}

/** The place of the first bracket that closes what is outside. */
function unopenedIn(url: string): number {
  const open: string[] = [];
  for (let at = 0; at < url.length; at++) {
    const sign = url[at]!;
    if ('([{'.includes(sign)) open.push(sign);
    else if (OPENS[sign] !== undefined && open.pop() !== OPENS[sign]) return at;
  }
  return url.length;
}
