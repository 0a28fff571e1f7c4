/** The help for x: printed from the syntax table, with grammar, examples and pitfalls. */
import type { OperatorHelp, SyntaxHelp } from '../language.ts';
import { LANGUAGES, OPERATORS, type Operator, PLAIN_CLAUSES, STOP_WORDS } from './syntax-table.ts';

const GRAMMAR = `
rule    = any
any     = all { " OR " all }               OR in capitals, a blank on both sides; binds loosest
all     = part { " " part }                a blank means AND; there is no AND word
part    = [ "-" ] clause                   - touches what it negates: -word, -is:retweet, -"a phrase"
clause  = "(" any ")" | word | phrase | phrase "~" 1..6 | "#"tag | "@"user | "$"TICKER | name ":" value
phrase  = '"' text '"'                     straight double quotes; \\" for a quote inside
value   = word | phrase | "[" numbers "]"  right after the colon, no blank; quote it if it holds a blank, a colon
                                           or begins with punctuation
word    = letters and digits; anything with punctuation inside or in front goes in quotes
`.trim();

const EXAMPLES: SyntaxHelp['examples'] = [
  {
    intent: 'Posts about a volcano erupting, in English, without reposts',
    rule: '(volcano OR eruption OR lava) lang:en -is:retweet',
  },
  { intent: 'Complaints to a support account', rule: 'to:acmesupport (broken OR refund OR "not working") -is:retweet' },
  { intent: 'Everything that one account writes itself', rule: 'from:usgs -is:retweet -is:reply' },
  {
    intent: 'Whatever any of several accounts says about earthquakes',
    rule: '(from:usgs OR from:lastquake OR from:emsc) (earthquake OR quake OR #earthquake)',
  },
  {
    intent: 'Mentions of a company by name, tag or ticker, with a link to read',
    rule: '("Acme Corp" OR @acme OR #acme OR $acme) has:links -from:acme',
  },
  { intent: 'A product name that is written with punctuation', rule: '"rock-n-roll" OR "AC/DC"' },
  { intent: 'Two words near each other, in whichever wording', rule: '"acme layoffs"~5 -is:retweet' },
  {
    intent: 'Links to one site, in posts by people and not by the site itself',
    rule: 'url:"example.org" -from:example_org',
  },
  { intent: 'Links to a certain part of a site', rule: 'url_contains:"example.org/blog/"' },
  {
    intent: 'Job offers for geologists by accounts with some reach',
    rule: '(hiring OR "job opening") geologist followers_count:1000',
  },
  { intent: 'What biologists say about a topic', rule: '(#coral OR "coral reef") bio:"marine biologist"' },
  { intent: 'Photos or videos taken in and around Reykjavík', rule: 'point_radius:[-21.94 64.14 12km] has:media' },
  { intent: 'Floods in a country, from tagged places', rule: '(flood OR flooding OR inundación) place_country:ES' },
  { intent: 'A conversation under one post', rule: 'conversation_id:1700000000000000001' },
  { intent: 'A tenth of a very common topic', rule: '(coffee OR tea) lang:en sample:10' },
  { intent: 'Japanese posts about an eruption', rule: '(噴火 OR 火山) lang:ja -is:retweet' },
  { intent: 'An emoji together with a word', rule: '🌋 iceland -is:retweet' },
];

const PITFALLS: readonly string[] = [
  'Never write AND, && or NOT: a blank is AND, a dash is NOT. lava AND magma is refused; write lava magma.',
  'OR must be in capitals. A bare or, and, AND is refused; to look for the word itself, quote it: milk "or" sugar.',
  'AND binds tighter than OR: a OR b -is:retweet excludes reposts only for b. Write (a OR b) -is:retweet.',
  'has:, is:, lang:, source: and sample: need a standalone clause beside them, in every alternative: tea OR has:images is refused, tea has:images is fine.',
  'A rule needs something it wants: -lava alone is refused, and so is coffee OR -tea.',
  'A dash touches its clause: -lava, not - lava. Do not negate a group; write -a -b instead of -(a OR b).',
  'Words are whole words: snow does not find snowing or snowstorm, and there is no *. Name each form: (snow OR snowing OR snowstorm).',
  'Accents count: café does not find cafe. Add both with OR where people write both.',
  'Quote what holds punctuation: "coca-cola", url:"https://example.org/a". Use straight double quotes only, never \'single\' or curly ones.',
  'A phrase is compared sign by sign. Half of all posts write ’ for an apostrophe: ("don\'t" OR "don’t"). A line break or a comma between two words is no blank: "lava flow"~1 overlooks it.',
  'An unquoted value ends at the first blank: bio:marine biologist is bio:marine and the keyword biologist. Write bio:"marine biologist".',
  'A value has no sigil: from:usgs, not from:@usgs. One value each: (from:usgs OR from:nasa), not from:(usgs OR nasa) and not from:usgs,nasa.',
  'One post has one author and one language: from:a from:b and lang:en lang:fr never match. Join them with OR.',
  `Very common words cannot be all that a rule asks for: ${[...STOP_WORDS].join(' ')}. Inside a phrase they are fine.`,
  "A hashtag is compared whole: #volcano does not find #volcanoes. The keyword volcano also finds #volcano, @volcano, volcano's, and volcano in a link.",
  'A quote is matched on its own content and on that of the post it quotes, by exclusions as well: wow -magma drops a post that quotes one about magma.',
  'A repost is matched on its own text, which begins RT @name, and on the whole original: @name finds reposts of name. Add -is:retweet to have originals only. Author and place are those of the delivered post.',
  'from:a does not find reposts of a; that is retweets_of:a. to:a is replies to a; @a is mentions of a.',
  'Lists of numbers take blanks and put longitude first: point_radius:[-21.94 64.14 12km].',
  'There are no dates, no minimum likes and no sorting: since:, until:, min_faves: and filter: belong to other searches. The stream is live.',
];

/** The essentials. A test limits its size, together with that of the other language. */
export const SHORT_HELP = `
x: posts, live. A blank is AND; OR (capitals) binds looser; a dash touching a clause is NOT; parentheses group. There is no AND or NOT word.
Clauses: word; "phrase"; "two words"~3 (near); #tag; @user; $TICKER; from: to: retweets_of: (a user); lang:en; is:retweet is:reply is:quote; has:links has:media has:images; url:"site.org" url_contains:"/blog/" url_title:; bio: bio_location:; followers_count:1000; place_country:IS point_radius:[lon lat 12km]; conversation_id:; entity:; sample:10.
- Whole words, any case, accents count; no * and no stems: (snow OR snowing). A word also finds its possessive, #word, @word, and itself in links.
- has: is: lang: source: sample: need a word, tag, user or link beside them, in every OR branch. A rule must want something, and not only words like the, to, you.
- (a OR b) -is:retweet: without parentheses the exclusion is b's alone. Exclude each: -a -b.
- Quote punctuation: "wi-fi"; a phrase is compared sign by sign: ("don't" OR "don’t"). "a b"~1 overlooks commas and line breaks.
- A quote counts with what it quotes, a repost with its RT @name and the original.
- One value each: (from:a OR from:b). No dates, no likes.
Example: (volcano OR "lava flow") lang:en -is:retweet
`.trim();

export interface HelpLimits {
  readonly maxLength: number;
  readonly embedding: boolean;
}

export function helpFor({ maxLength, embedding }: HelpLimits): SyntaxHelp {
  return {
    platform: 'x',
    rule_type: 'premium',
    summary:
      'Rules for posts on X, matched live. A rule is clauses separated by blanks, all of which must hold; OR between alternatives, a dash for what must be absent, parentheses to group. ' +
      'Clauses are words, phrases, #tags, @mentions, $tickers and name:value operators about the author, the links, the language, the place or the kind of post. Upper and lower case are alike everywhere but in OR.',
    grammar: GRAMMAR,
    operators: [...PLAIN_CLAUSES, ...OPERATORS.filter((one) => embedding || !one.embedding).flatMap(helpOf)],
    limits: {
      rule_length: maxLength,
      rule_length_unit: 'UTF-16 units, operators and blanks included',
      proximity: '1 to 6',
      radius: 'under 25mi (40.2km)',
      sample: '1 to 100',
      nesting: 100,
      values: 'POST /platforms/values lists what lang:, place_country:, is: and has: take, with names',
      language_codes: [...LANGUAGES.values()].join(' '),
    },
    examples: EXAMPLES,
    pitfalls: PITFALLS,
  };
}

/** An operator with fixed values has a line for each of them. */
function helpOf({
  name,
  aliases,
  syntax,
  description,
  example,
  standalone,
  negatable,
  choices,
}: Operator): OperatorHelp[] {
  if (choices === undefined) {
    const also = aliases === undefined ? '' : ` Also spelled ${aliases.map((alias) => `${alias}:`).join(', ')}.`;
    return [{ name, syntax, description: description + also, example, standalone, negatable }];
  }
  return choices.map((choice) => ({
    name: `${name}:${choice.value}`,
    syntax: `${choice.onlyNegated ? '-' : ''}${name}:${choice.value}`,
    description: choice.description,
    example: choice.example,
    standalone,
    negatable,
  }));
}
