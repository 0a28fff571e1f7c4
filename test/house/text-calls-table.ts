/**
 * The texts that reach the calls that `text-calls.ts` finds. Time that grows faster than the text is `bounded` by the
 * length of the text; `npm run bench -- growth` measures it. A text is *own* where nobody but the operator or this
 * program writes it.
 */
interface Row {
  readonly calls: string;
  /** Which text comes here, and how long it may be. */
  readonly text: string;
  readonly growth: 'linear' | 'bounded';
}

export const CALLS: Readonly<Record<string, Row>> = {
  'src/service/visits/visit-http.ts': {
    calls: 'URL 2',
    text: 'Addresses that a source asks for: of its options, whose hosts have at most 253 characters, or made by its kind.',
    growth: 'bounded',
  },
  'src/base/normalize.ts': {
    calls: 'RegExp 1, normalize 8',
    text: 'Texts of posts, rules and intents. No piece of a run that is normalized has more than 60 marks.',
    growth: 'linear',
  },
  'src/base/legible.ts': {
    calls: 'RegExp 1, pattern 2',
    text: 'Names of at most 500 characters. The expression looks at a character and its neighbours.',
    growth: 'linear',
  },
  'src/base/parse-url.ts': {
    calls: 'URL 1',
    text: 'Addresses in events, feeds and requests. The host has at most 1,024 characters.',
    growth: 'bounded',
  },
  'src/signal/terms.ts': {
    calls: 'Intl.Segmenter 1',
    text: 'Runs of a script without spaces in the first 400 characters of an example.',
    growth: 'bounded',
  },
  'src/signal/words.ts': {
    calls: 'normalize 2, pattern 1',
    text: 'The first 400 characters of an event, and the letters below U+0250 one by one. The pattern is one of two of the file.',
    growth: 'bounded',
  },
  'src/signal/story-text.ts': { calls: 'URL 1', text: 'Links of at most 1,000 characters.', growth: 'bounded' },
  'src/engine/events/x-text.ts': { calls: 'RegExp 1', text: 'Texts of posts.', growth: 'linear' },
  'src/rules/x/links.ts': {
    calls: 'RegExp 5, URL 2',
    text: 'The expressions fit one character each. A domain in the text of a post has at most 506.',
    growth: 'bounded',
  },
  'src/rules/x/advise.ts': {
    calls: 'RegExp 1, pattern 1',
    text: 'A word of a rule, cut at odd blanks.',
    growth: 'linear',
  },
  'src/rules/firehose/check-leaf.ts': {
    calls: 'RegExp 1, pattern 2',
    text: 'A word of a rule, cut at odd blanks; the same without all but letters and digits.',
    growth: 'linear',
  },
  'src/rules/habits/comparisons.ts': {
    calls: 'RegExp 7',
    text: 'Rules of at most 4,096 characters without 64 blanks in a row. Every repetition in the expressions has an upper bound.',
    growth: 'bounded',
  },
  'src/rules/habits/fields.ts': {
    calls: 'RegExp 4',
    text: 'The same.',
    growth: 'bounded',
  },
  'src/rules/habits/find.ts': {
    calls: 'RegExp 1',
    text: 'The same. It is made of the hints of all habits.',
    growth: 'bounded',
  },
  'src/rules/habits/proximity.ts': { calls: 'RegExp 4', text: 'The same.', growth: 'bounded' },
  'src/rules/habits/signs.ts': { calls: 'RegExp 8', text: 'The same.', growth: 'bounded' },
  'src/rules/habits/wrappings.ts': { calls: 'RegExp 2, pattern 1', text: 'The same.', growth: 'bounded' },
  'src/sources/text/language.ts': {
    calls: 'pattern 1',
    text: 'The beginning of an item. The pattern is one of two of the file, and fits one character.',
    growth: 'linear',
  },
  'src/service/rules/intent-lint.ts': {
    calls: 'RegExp 1, pattern 1',
    text: 'Intents of at most 2,000 characters. The expression names languages.',
    growth: 'linear',
  },
  'src/delivery/webhooks/addresses.ts': {
    calls: 'URL 4, pattern 3',
    text: 'Addresses of at most 2,048 characters, read by parseUrl when they were stored; answers of 1,024, in which their parts are looked for.',
    growth: 'bounded',
  },
  'src/base/object-address.ts': {
    calls: 'URL 6',
    text: 'Addresses of at most 2,048 characters.',
    growth: 'bounded',
  },
  'src/delivery/webhooks/attempts.ts': {
    calls: 'pattern 1',
    text: 'The first characters of what a receiver answers, searched for the credential it was sent.',
    growth: 'bounded',
  },
  'src/service/agents/subscribe.ts': {
    calls: 'URL 1',
    text: 'An address that was read by parseUrl.',
    growth: 'bounded',
  },
  'src/service/oauth/addresses.ts': {
    calls: 'URL 4',
    text: 'Addresses of plain ASCII and at most 2,048 characters, and the address of the server.',
    growth: 'bounded',
  },
  'src/service/oauth/client-document.ts': {
    calls: 'URL 2',
    text: 'Client ids whose host is plain ASCII.',
    growth: 'linear',
  },
  'src/service/oauth/fetch-document.ts': {
    calls: 'URL 1',
    text: 'Client ids whose host is plain ASCII.',
    growth: 'linear',
  },
  'src/service/oauth/consent.ts': { calls: 'URL 1', text: 'Client ids whose host is plain ASCII.', growth: 'linear' },
  'src/service/agents/grants.ts': {
    calls: 'URL 1',
    text: 'Client ids whose host is plain ASCII.',
    growth: 'linear',
  },
  'src/http/feeds.ts': { calls: 'URL 1', text: 'The header Host, of plain ASCII.', growth: 'linear' },
  'src/mcp/endpoint.ts': {
    calls: 'URL 7',
    text: 'The headers Host, of plain ASCII, and Origin, of at most 16 KiB.',
    growth: 'bounded',
  },
  'src/sources/fetch/follow-redirects.ts': {
    calls: 'URL 2',
    text: 'An address of a source, or one that parseUrl read of a redirect.',
    growth: 'bounded',
  },
  'src/sources/fetch/reach.ts': { calls: 'URL 1', text: 'The same addresses.', growth: 'bounded' },
  'src/sources/fetch/source-error.ts': { calls: 'URL 1', text: 'The same addresses.', growth: 'bounded' },
  'src/sources/kinds/robots-check.ts': { calls: 'URL 1', text: 'The same addresses.', growth: 'bounded' },
  'src/sources/kinds/mastodon-post.ts': {
    calls: 'URL 1',
    text: 'The id of a status, behind the address of its server: it is in no host.',
    growth: 'linear',
  },
  'console/src/words/languages.ts': { calls: 'Intl.DisplayNames 1', text: 'Codes of languages.', growth: 'linear' },
  'console/src/matches/views.ts': {
    calls: 'localeCompare 1',
    text: 'Names of views, of 200 characters.',
    growth: 'linear',
  },
  'console/src/rule/insights.ts': { calls: 'localeCompare 1', text: 'Authors and domains.', growth: 'linear' },
  'console/src/rules/find-rules.ts': {
    calls: 'Intl.Collator 1',
    text: 'Names of rules, of 200 characters.',
    growth: 'linear',
  },
  'src/cli/output.ts': {
    calls: 'Intl.Segmenter 1',
    text: 'Rules that are shown with their mistakes.',
    growth: 'linear',
  },
  'src/rules/values.ts': { calls: 'Intl.DisplayNames 1', text: 'Codes of languages and countries.', growth: 'linear' },
};

/** Calls that are listed nowhere by file, because their time follows any text. `npm run bench -- growth` measures those that read all of it. */
export const STEADY: Readonly<Record<string, string>> = {
  'toLowerCase toUpperCase': 'Each character becomes at most three, by a table.',
  'trim trimStart trimEnd toWellFormed isWellFormed padStart padEnd repeat concat':
    'Each character is read or written once.',
  'at charAt charCodeAt codePointAt slice substring substr length': 'They look at one place.',
  'startsWith endsWith': 'They compare at one place.',
  'indexOf lastIndexOf includes':
    'What is looked for is short or ours. A long text of a stranger is looked for by textFinder of src/base.',
  'toString valueOf constructor': 'They give the text itself.',
  'JSON.parse JSON.stringify': 'Each character is read or written once; the hashes of keys have a secret seed.',
  'sort toSorted':
    'A merge sort: n log n comparisons, whatever the order. No comparison reads more than the shorter text.',
};

/** Settings, constants, the addresses of sources, and what this program wrote itself. */
export const OWN: Readonly<Record<string, string>> = {
  'console/src/agents/connect-agent.tsx': 'URL 1',
  'console/src/connect/feeds.tsx': 'URL 1',
  'console/src/data/client.ts': 'URL 1',
  'console/src/event/reading.ts': 'URL 1',
  'src/sources/fetch/dev-tools.ts': 'URL 4',
  'sandbox/front.ts': 'URL 1',
  'sandbox/x/deliver.ts': 'URL 2',
  'sandbox/x/webhooks.ts': 'URL 1',
  'src/app/config.ts': 'URL 1',
  'src/app/open-store.ts': 'URL 1',
  'src/app/server-settings.ts': 'URL 2',
  'src/app/settings.ts': 'URL 7',
  'src/app/tracing/trace-settings.ts': 'URL 1',
  'src/broker/nats.ts': 'URL 1',
  'src/cli/commands/feeds.ts': 'URL 1',
  'src/delivery/webhooks/attempt-spans.ts': 'URL 1',
  'src/delivery/webhooks/chats/telegram.ts': 'replacement 1',
  'src/delivery/webhooks/sender.ts': 'URL 1',
  'src/delivery/webhooks/wires.ts': 'URL 2',
  'src/engine/core/character-tables.ts': 'normalize 4',
  'src/http/console.ts': 'pattern 1',
  'src/http/pages.ts': 'URL 1',
  'src/platforms/upstream-call.ts': 'URL 2, pattern 1',
  'src/rules/firehose/word-classes.ts': 'RegExp 1, pattern 1',
  'src/rules/x/words.ts': 'pattern 1',
  'src/service/rehearsal/rehearser.ts': 'pattern 1',
  'src/service/webhooks/message-shapes.ts': 'URL 1',
  'src/sources/kinds/arxiv.ts': 'URL 3',
  'src/sources/kinds/bluesky/archive-client.ts': 'URL 1',
  'src/sources/kinds/bluesky/archive-block.ts': 'replacement 1',
  'src/sources/kinds/bluesky/host-state.ts': 'URL 1',
  'src/sources/kinds/bluesky/host.ts': 'URL 3',
  'src/sources/kinds/github.ts': 'URL 4',
  'src/sources/kinds/hacker-news.ts': 'URL 1',
  'src/sources/kinds/jetstream.ts': 'URL 3',
  'src/sources/kinds/lemmy.ts': 'URL 3',
  'src/sources/kinds/mastodon.ts': 'URL 2',
  'src/sources/kinds/reddit.ts': 'URL 2',
  'src/sources/kinds/youtube.ts': 'URL 1',
  'src/sources/text/language-table.ts': 'URL 2',
  'src/store/sqlite/dialect.ts': 'RegExp 2, pattern 2',
  'src/store/steps.ts': 'pattern 1',
};

/** Regular expressions that take more than linear time, and what keeps their texts short. */
export const SLOW_REGEXES: Readonly<Record<string, string>> = {
  '/(?:\\s+(?:AND|OR|&&|\\|\\|))?(?:\\s+NOT)?\\s+[-+!]?$/': 'It is given the 64 characters before a clause.',
  '/(\\w+):$/': 'It is given the 64 characters before a slash.',
  '/\\s+OR\\s+$/': 'It is given the 64 characters before a clause.',
  '/\\/\\*sqlite\\s(.*?)\\s?\\*\\//gs': 'It is given the statements of this program.',
  '/\\/\\*postgres\\*\\/.*?\\/\\*end\\*\\//gs': 'It is given the statements of this program.',
  '/\\s+FOR (?:UPDATE|(?:KEY )?SHARE)(?: OF \\w+)?(?: SKIP LOCKED)?/g': 'It is given the statements of this program.',
  '/\\/+$/': 'The client is given the address of a server by its own program.',
  '/(?:\\s+(?:AND|and|&&))?\\s+$/': 'It is given the 8 characters before a clause.',
  '/\\s+(?:OR|or|\\|\\|?)\\s+|\\s*,\\s*/': 'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/\\s+(?:OR|or|\\|\\|?)\\s+/': 'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/\\s+(?:AND|&&?)\\s+(?=\\S)/g': 'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/\\s*\\\\[nrt](?:\\\\[nrt])*\\s*/g': 'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/SELECT\\s[^\'"]{1,200}?\\sWHERE\\s+(.{1,4000}?);?\\s*$/isy':
    'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/\\s*,\\s*/': 'Rules of at most 4,096 characters without 64 blanks in a row.',
  '/(`{1,3})(?:(?:text|sql|lucene|query|txt|plaintext|x|firehose)\\n)?\\s*([^`]{1,4000}?)\\s*`{1,3}\\s*$/y':
    'Rules of at most 4,096 characters without 64 blanks in a row.',
};
