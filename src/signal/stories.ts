/**
 * Which matches tell the same story. One pass in the order in which matches are stored: the same matches in the same
 * order always give the same stories. Memory is bounded by the number of open stories and of their words.
 *
 * A text joins the open story whose words it shares most, weighted by how few stories have them. Words are counted by
 * story, not by text: the words of a story that fifty others repeat stay rare.
 */
import { comparedWords } from './words.ts';

export interface StoryText {
  readonly text: string;
  readonly at: number;
}

/** What is kept of an open story. */
export interface OpenStory {
  readonly id: string;
  readonly size: number;
  readonly lastAt: number;
  /** How many of its texts have each word. */
  readonly words: ReadonlyMap<string, number>;
  /** Of its words as a vector, and the size at which it was measured. Kept, so that a restart changes no decision. */
  readonly length: number;
  readonly measuredAt: number;
}

export interface StoryDecision {
  readonly id: string;
  /** Whether the text begins the story. */
  readonly first: boolean;
  /** How alike the text and the story are: 0 for a new story, at most 1. */
  readonly likeness: number;
}

export interface StoryBook {
  /** Decides for the next text. `newId` names the story if it begins one. */
  assign(text: StoryText, newId: () => string): StoryDecision;
  /** The open stories as they are now, the one with the oldest activity first. */
  open(): Iterable<OpenStory>;
}

/** A story that nothing joined for this long is over. */
const QUIET_MS = 24 * 3_600_000;
const MAX_OPEN = 2_000;
/** A story keeps the words that most of its texts have. */
const MAX_WORDS = 60;
/** A text is like a story from here on. */
const ENOUGH = 0.25;
/** What was told within the hour is likely to be told again; what rested for half a day less so. */
const FRESH = { bonus: 1.5, ms: 3_600_000 };
const RESTED = { malus: 0.4, ms: 12 * 3_600_000 };
/** As if this many other stories had been seen: the first texts of an account are compared sensibly as well. */
const PRIOR_STORIES = 50;
/** A word that more stories have tells nothing, and would cost the most. */
const MAX_STORIES_OF_WORD = 100;

interface Story extends OpenStory {
  size: number;
  lastAt: number;
  readonly words: Map<string, number>;
  length: number;
  measuredAt: number;
}

/** A story is measured again when it has grown by a tenth. */
const GROWN = 1.1;

export function createStoryBook(kept: Iterable<OpenStory> = []): StoryBook {
  /** By last activity, oldest first: a map keeps the order in which its keys were set. */
  const open = new Map<string, Story>();
  const byWord = new Map<string, Set<Story>>();

  const weight = (word: string): number =>
    Math.log((open.size + PRIOR_STORIES + 1) / ((byWord.get(word)?.size ?? 0) + 1));

  function measure(story: Story): void {
    let sum = 0;
    for (const [word, count] of story.words) {
      const each = weight(word);
      const share = count / story.size;
      sum += each * each * share * Math.sqrt(share);
    }
    story.length = Math.sqrt(sum) || 1;
    story.measuredAt = story.size;
  }

  function add(story: OpenStory): Story {
    const added: Story = { ...story, words: new Map(story.words) };
    open.set(story.id, added);
    for (const word of added.words.keys()) storiesOf(byWord, word).add(added);
    return added;
  }

  function closeOver(now: number): void {
    for (const story of open.values()) {
      if (now - story.lastAt <= QUIET_MS && open.size < MAX_OPEN) return;
      open.delete(story.id);
      for (const word of story.words.keys()) forget(byWord, word, story);
    }
  }

  function nearest(words: readonly string[], at: number): { story: Story; likeness: number } | undefined {
    const shared = new Map<Story, number>();
    let sum = 0;
    for (const word of words) {
      const each = weight(word) ** 2;
      sum += each;
      const stories = byWord.get(word);
      if (stories === undefined || stories.size > MAX_STORIES_OF_WORD) continue;
      for (const story of stories) {
        const share = story.words.get(word)! / story.size;
        shared.set(story, (shared.get(story) ?? 0) + each * Math.sqrt(share * Math.sqrt(share)));
      }
    }
    let best: { story: Story; likeness: number } | undefined;
    for (const [story, product] of shared) {
      const likeness = (product / (Math.sqrt(sum) * story.length)) * freshness(at - story.lastAt);
      // Of two that are as like, the one with the smaller id: the order of a set does not outlive a restart.
      const isBetter =
        best === undefined || likeness > best.likeness || (likeness === best.likeness && story.id < best.story.id);
      if (isBetter) best = { story, likeness };
    }
    return best;
  }

  function join(story: Story, words: readonly string[], at: number): void {
    story.size += 1;
    story.lastAt = Math.max(story.lastAt, at);
    for (const word of words) {
      const count = story.words.get(word);
      if (count === undefined) storiesOf(byWord, word).add(story);
      story.words.set(word, (count ?? 0) + 1);
    }
    if (story.words.size > 2 * MAX_WORDS) forgetRareWords(story, byWord);
    if (story.size > story.measuredAt * GROWN) measure(story);
    // It is the one with the newest activity now.
    open.delete(story.id);
    open.set(story.id, story);
  }

  for (const story of kept) add(story);

  return {
    assign({ text, at }, newId) {
      const words = [...new Set(comparedWords(text))];
      closeOver(at);
      const found = nearest(words, at);
      if (found !== undefined && found.likeness >= ENOUGH) {
        join(found.story, words, at);
        return { id: found.story.id, first: false, likeness: Math.min(1, found.likeness) };
      }
      const id = newId();
      measure(
        add({ id, size: 1, lastAt: at, words: new Map(words.map((word) => [word, 1])), length: 1, measuredAt: 0 }),
      );
      return { id, first: true, likeness: 0 };
    },
    open: () => open.values(),
  };
}

/** How much more likely a story goes on that rested for this long. */
function freshness(rested: number): number {
  const ms = Math.max(0, rested);
  return 1 + FRESH.bonus * Math.exp(-ms / FRESH.ms) - RESTED.malus * (1 - Math.exp(-ms / RESTED.ms));
}

function forgetRareWords(story: Story, byWord: Map<string, Set<Story>>): void {
  const byCount = [...story.words].toSorted(([, one], [, other]) => other - one);
  for (const [word] of byCount.slice(MAX_WORDS)) {
    story.words.delete(word);
    forget(byWord, word, story);
  }
}

function storiesOf(byWord: Map<string, Set<Story>>, word: string): Set<Story> {
  const known = byWord.get(word);
  if (known !== undefined) return known;
  const stories = new Set<Story>();
  byWord.set(word, stories);
  return stories;
}

function forget(byWord: Map<string, Set<Story>>, word: string, story: Story): void {
  const stories = byWord.get(word);
  stories?.delete(story);
  if (stories?.size === 0) byWord.delete(word);
}
