/**
 * The names in an intent: people, places, products, tags, and what stands in quotes. A name is known by how it is written, since
 * no list has them all: with a capital inside a sentence, in capitals, or with a sign. A word that only begins a sentence is none.
 */
interface Token {
  readonly text: string;
  /** Whether nothing but a blank or a hyphen stands between it and the token before. */
  readonly isJoined: boolean;
  readonly beginsSentence: boolean;
}

const TOKEN = /([#@]?[\p{L}\p{N}]+)(?:['’]s?\b)?/gu;
const QUOTED = /"([^"]{3,60})"|“([^”]{3,60})”/g;
/** A shorter one is in too many texts: US, LA. */
const SHORTEST = 3;
const MAX_NAMES = 20;
/** No name has more: each word of one is compared with all words of the rule. */
const MOST_WORDS = 5;

/** In lower case, in order, each once. `isIdle` knows words of requests, which are no names however they are written. */
export function namesOfIntent(intent: string, isIdle: (word: string) => boolean): string[] {
  const quoted = [...intent.matchAll(QUOTED)].map(([, plain, curly]) => (plain ?? curly)!.toLowerCase());
  const tokens = tokensOf(intent.replaceAll(QUOTED, ', '));
  const common = new Set(tokens.map(({ text }) => text).filter((text) => !isCapital(text)));
  const names: string[] = [];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) names.push(open.join(' '));
    open = [];
  };
  for (const [at, token] of tokens.entries()) {
    if (!token.isJoined || open.length === MOST_WORDS) close();
    const word = token.text.toLowerCase();
    const next = tokens[at + 1];
    const isAlone = open.length === 0 && !(next?.isJoined === true && isCapital(next.text));
    const isOfSentence = token.beginsSentence && isAlone && !isMarked(token.text);
    const isNumber = open.length > 0 && /^\d+$/.test(word);
    if (isNumber || (isCapital(token.text) && !isOfSentence && !isIdle(word) && !isKind(word, common)))
      open.push(word.replace(/^[#@]/, ''));
    else close();
  }
  close();
  const fitting = names.filter((name) => name.length >= SHORTEST && !OF_A_PEOPLE.test(name) && !/^\d+$/.test(name));
  return [...new Set([...quoted, ...fitting])].slice(0, MAX_NAMES);
}

function tokensOf(text: string): Token[] {
  let end = 0;
  return [...text.matchAll(TOKEN)].map((found) => {
    const between = text.slice(end, found.index);
    const token = {
      text: found[1]!,
      isJoined: /^[ -]$/.test(between),
      beginsSentence: end === 0 || /[.!?:\n]/.test(between),
    };
    end = found.index + found[0].length;
    return token;
  });
}

const isCapital = (text: string): boolean => /^\p{Lu}/u.test(text) || isMarked(text);
/** A tag, a mention, or capitals and digits where no sentence puts them: NASA, iPhone, Covid19. */
const isMarked = (text: string): boolean =>
  /^[#@]/.test(text) || /\p{Lu}/u.test(text.slice(1)) || /\p{L}\p{N}|\p{N}\p{L}/u.test(text);

/** A word that the intent also has in lower case, in one form or another, is a kind of thing: "Wildfires, wildfire". */
const isKind = (word: string, common: ReadonlySet<string>): boolean =>
  common.has(word) || common.has(`${word}s`) || common.has(word.replace(/s$/, ''));

/** Texts name a people or a language in many other ways: French, Iranian, Japanese. */
const OF_A_PEOPLE = /^(?:french|german|dutch|greek|czech|thai|korean|european|irish|\p{L}{4,}(?:ish|ese|ian|ican))$/u;
