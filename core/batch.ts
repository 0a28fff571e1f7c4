/**
 * A batch of lines, as a matcher gets it: each line has a record, and the matched rules stand behind the records.
 *
 *     record   start 4 | end 4 | outcome 4 | evaluated 4 | rules: where 4, how many 4 | id 8 | data 8 | includes 8 | has others 4
 */
import { matchWords } from './match';
import {
  EVALUATED,
  LEFT_FOR,
  LINE_HAS_OTHERS,
  LINE_ID,
  LINES,
  PATTERNS_ASK,
  RESULTS,
  STEPS,
  STOP,
  scratch,
  UNDECIDED,
} from './memory';
import { walkPage } from './page';
import { meetsPattern } from './patterns';
import { walkPost } from './post';
import { LONGEST_OF_MATCHER } from './scratch';
import { isCounted } from './shares';

const RECORD: u32 = 64;
const OUTCOME: u32 = 8;
const COUNT_EVALUATED: u32 = 12;
const RULES: u32 = 16;
const RULE_COUNT: u32 = 20;
const SPANS: u32 = 24;
const MOST_LINES: u32 = 2048;
/** Twice what one line can have. */
const MOST_RULES: u32 = (262144 - MOST_LINES * RECORD) >> 2;

/** Steps for the phrases of one line, some milliseconds: a matcher must soon come to where it can be stopped. */
const LINE_STEPS: i32 = 500000;

/** Outcomes; where the walk left the line, the reason is added to the last. */
const MATCHED_LINE: u32 = 0;
const ASKED_BACK: u32 = 1;
const LEFT_LINE: u32 = 2;

/**
 * Matches lines one after another, and answers how many: fewer than there are when the writer asks for a stop, or when there is no
 * more room for rules.
 */
export function matchBatch(count: u32, arePages: bool): u32 {
  const lines = load<u32>(scratch, LINES);
  const rules = lines + MOST_LINES * RECORD;
  let held: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    if (atomic.load<u32>(scratch + STOP) !== 0) return index;
    const line = lines + index * RECORD;
    const outcome = matchOne(line, arePages);
    if (outcome === MATCHED_LINE) {
      const found = load<u32>(line, RULE_COUNT);
      if (held + found > MOST_RULES) return index;
      memory.copy(rules + (held << 2), scratch + RESULTS, found << 2);
      store<u32>(line, rules + (held << 2), RULES);
      held += found;
    }
    store<u32>(line, outcome, OUTCOME);
  }
  return count;
}

/** A line with something that the writer must decide (a pattern, a fact, phrases that take long) is asked back whole. */
function matchOne(line: u32, arePages: bool): u32 {
  const start = load<u32>(line);
  const end = load<u32>(line, 4);
  if (end - start > LONGEST_OF_MATCHER) return ASKED_BACK;
  const isWalked = arePages ? walkPage(start, end) : walkPost(start, end);
  if (!isWalked) return LEFT_LINE + load<u32>(scratch, LEFT_FOR);
  if (load<u32>(PATTERNS_ASK) !== 0 && meetsPattern()) return ASKED_BACK;
  store<u32>(scratch, 0, UNDECIDED);
  store<i32>(scratch, LINE_STEPS, STEPS);
  const found = matchWords(isCounted());
  if (load<u32>(scratch, UNDECIDED) !== 0) return ASKED_BACK;
  store<u32>(line, load<u32>(scratch, EVALUATED), COUNT_EVALUATED);
  store<u32>(line, found, RULE_COUNT);
  memory.copy(line + SPANS, scratch + LINE_ID, LINE_HAS_OTHERS + 4 - LINE_ID);
  return MATCHED_LINE;
}
