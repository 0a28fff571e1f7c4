/**
 * A post of X from the bytes of its line to its words, for the fields that rules name: what `engine/events/x-event.ts` makes of
 * posts that stand by themselves. Reposts, quotes, replies, notes and everything else that needs more than one look are left to
 * TypeScript, and so is any line of which the walk is not sure.
 */
import {
  AFFILIATE,
  BIO,
  BIO_LOCATION,
  BIO_NAME,
  CASHTAG,
  CONTEXT,
  CONVERSATION,
  ENTITY,
  FROM,
  HAS,
  HASHTAG,
  IS,
  isWanted,
  LANGUAGE,
  MENTION,
  PLACE_COUNTRY,
  PLACE_ID,
  PLACE_NAME,
  SOURCE_FIELD,
  TEXT_FIELD,
  TO,
  TO_AFFILIATE,
  URL,
  URL_DESCRIPTION,
  URL_TITLE,
} from './fields';
import {
  at,
  comesNext,
  isKey,
  isLongKey,
  isOver,
  MOST_ENTRIES,
  moveTo,
  openLine,
  pass,
  readCount,
  readKey,
  skipBlanks,
  skipPlainString,
  skipString,
  skipValue,
} from './json';
import {
  FOR_PART,
  FOR_SHAPE,
  FOR_TEXT,
  LEFT_FOR,
  LINE_DATA,
  LINE_HAS_OTHERS,
  LINE_ID,
  LINE_ID_END,
  LINE_INCLUDES,
  RESULTS,
  scratch,
  TEXT,
  TEXT_END,
} from './memory';
import * as name from './names';
import { addFlag, out } from './pieces';
import {
  addFound,
  mayHaveCashtag,
  mayHaveLink,
  namesFound,
  openText,
  readText,
  readValue,
  someAreJoined,
  tagsFound,
} from './text';
import { reserveEvent } from './words';

/** Longer lines are rare, and left to TypeScript. */
const LONGEST_LINE: u32 = 65536;
/** Entities are looked for in texts up to this long. */
const LONGEST_POST: u32 = 25000;
const LONGEST_VALUE: u32 = 1024;
const LONGEST_LANGUAGE: u32 = 64;
const MOST_USERS: u32 = 16;
/** While a line is walked the results are free: of each user, where id and name begin and end. */
const USERS: u32 = RESULTS;

// Strings of the post begin there, after their quotes; 0 means that there is none. Strings that are compared have an end, too.
let textAt: u32 = 0;
let textLength: u32 = 0;
let authorAt: u32 = 0;
let authorEnd: u32 = 0;
let users: u32 = 0;
let hasId: bool = false;
let hasConversation: bool = false;
let hasEntities: bool = false;
let hasData: bool = false;
let hasIncludes: bool = false;
let contents: u32 = 0;

/** Makes the words of a line. False where TypeScript must read it. */
export function walkPost(from: u32, to: u32): bool {
  const length = to - from;
  store<u32>(scratch, FOR_SHAPE, LEFT_FOR);
  if (length > LONGEST_LINE) return false;
  // Folding makes two bytes into three at most. Addresses count twice, tags and flags come on top.
  reserveEvent(length + 1024, (length << 2) + 1024);
  openLine(from, to);
  openText(load<u32>(scratch, TEXT));
  textAt = 0;
  authorAt = 0;
  users = 0;
  contents = 0;
  hasId = false;
  hasConversation = false;
  hasEntities = false;
  hasData = false;
  hasIncludes = false;
  memory.fill(scratch + LINE_ID, 0, LINE_HAS_OTHERS + 4 - LINE_ID);
  if (!walkTop() || !isOver() || textAt === 0 || !hasId || !addConversation()) return false;
  store<u32>(scratch, FOR_TEXT, LEFT_FOR);
  if (!addTexts() || !addAuthor()) return false;
  store<u32>(scratch, out, TEXT_END);
  return true;
}

function walkTop(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey()) return false;
    skipBlanks();
    const from = at;
    if (isKey(name.DATA)) {
      if (hasData || !walkData()) return false;
      hasData = true;
      keepSpan(scratch + LINE_DATA, from);
    } else if (isKey(name.INCLUDES)) {
      if (hasIncludes || !walkIncludes()) return false;
      hasIncludes = true;
      keepSpan(scratch + LINE_INCLUDES, from);
    } else {
      if (!skipValue(1)) return false;
      store<u32>(scratch, 1, LINE_HAS_OTHERS);
    }
    more = pass(0x2c);
  }
  return pass(0x7d);
}

/** Notes where a value that was just passed began, and where it ends. */
// @inline
function keepSpan(place: u32, from: u32): void {
  store<u32>(place, from);
  store<u32>(place, at, 4);
}

function walkData(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  let hasLanguage = false;
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.TEXT)) {
      if (textAt !== 0 || !pass(0x22)) return false;
      textAt = at;
      if (!skipString(LONGEST_LINE)) return false;
      textLength = at - textAt;
    } else if (isKey(name.ID)) {
      if (hasId || !pass(0x22) || load<u8>(at) === 0x22) return false;
      const from = at;
      if (!skipPlainString()) return false;
      hasId = true;
      store<u32>(scratch, from, LINE_ID);
      store<u32>(scratch, at - 1, LINE_ID_END);
    } else if (isEditHistory()) {
      if (!walkEditHistory()) return false;
    } else if (isKey(name.LANG)) {
      if (hasLanguage || !walkValue(LANGUAGE, LONGEST_LANGUAGE)) return false;
      hasLanguage = true;
    } else if (isKey(name.ENTITIES)) {
      if (hasEntities || !walkEntities()) return false;
      hasEntities = true;
    } else if (isLongKey(9, name.AUTHOR_ID, name.AUTHOR_ID_END)) {
      if (authorAt !== 0 || !pass(0x22)) return false;
      authorAt = at;
      if (!skipPlainString()) return false;
      authorEnd = at - 1;
    } else if (isWanted(CONVERSATION) && isLongKey(15, name.CONVERSATION_ID, name.CONVERSATION_ID_END)) {
      if (!walkConversation()) return false;
    } else if (isLeft()) {
      store<u32>(scratch, FOR_PART, LEFT_FOR);
      return false;
    } else if (!skipValue(2)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

/** The id of the conversation. An empty one counts as absent: such a post is left. */
function walkConversation(): bool {
  if (hasConversation || !pass(0x22) || load<u8>(at) === 0x22) return false;
  hasConversation = true;
  return readValue(CONVERSATION, LONGEST_VALUE);
}

/** A post that starts a conversation gives it its id. */
function addConversation(): bool {
  if (hasConversation || !isWanted(CONVERSATION)) return true;
  moveTo(load<u32>(scratch, LINE_ID));
  return readValue(CONVERSATION, LONGEST_VALUE);
}

function isEditHistory(): bool {
  return (
    isLongKey(22, name.EDIT_HISTORY, name.EDIT_HISTORY_TWEETS_END) ||
    isLongKey(21, name.EDIT_HISTORY, name.EDIT_HISTORY_POSTS_END)
  );
}

/** A post that was never edited names itself alone. One with earlier versions is left: its matches point to theirs. */
function walkEditHistory(): bool {
  if (!pass(0x5b)) return false;
  if (pass(0x5d)) return true;
  return skipValue(3) && pass(0x5d);
}

/** Whether the key is one of a post that the walk leaves to TypeScript, as rules stand. */
function isLeft(): bool {
  if (isLongKey(10, name.NOTE_TWEET, name.NOTE_TWEET_END) || isLongKey(9, name.NOTE_POST, name.NOTE_POST_END))
    return true;
  if (isLongKey(17, name.REFERENCED_TWEETS, name.REFERENCED_TWEETS_END)) return true;
  if (isLongKey(16, name.REFERENCED_POSTS, name.REFERENCED_POSTS_END)) return true;
  if (isKey(name.GEO)) return isWanted(HAS) || isWanted(PLACE_ID) || isWanted(PLACE_COUNTRY) || isWanted(PLACE_NAME);
  if (isLongKey(11, name.ATTACHMENTS, name.ATTACHMENTS_END)) return isWanted(HAS);
  if (isLongKey(19, name.CONTEXT_ANNOTATIONS, name.CONTEXT_ANNOTATIONS_END))
    return isWanted(ENTITY) || isWanted(CONTEXT);
  if (isLongKey(19, name.IN_REPLY_TO_USER_ID, name.IN_REPLY_TO_USER_ID_END))
    return isWanted(TO) || isWanted(TO_AFFILIATE) || isWanted(IS) || isWanted(CONVERSATION);
  if (isKey(name.SOURCE)) return isWanted(SOURCE_FIELD) || isWanted(IS);
  return isKey(name.SCOPES) && isWanted(IS);
}

/** A string that is one exact value of a field, where some rule names the field. */
function walkValue(field: u32, longest: u32): bool {
  if (!pass(0x22)) return false;
  return isWanted(field) ? readValue(field, longest) : skipString(longest);
}

function walkEntities(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.HASHTAGS)) {
      if (!walkTags(1, HASHTAG)) return false;
    } else if (isKey(name.MENTIONS)) {
      if (!walkTags(2, MENTION)) return false;
    } else if (isKey(name.CASHTAGS)) {
      if (!walkTags(4, CASHTAG)) return false;
    } else if (isKey(name.URLS)) {
      if (!walkTags(8, URL)) return false;
    } else if (isLongKey(11, name.ANNOTATIONS, name.ANNOTATIONS_END) && isWanted(ENTITY)) {
      return false;
    } else if (!skipValue(3)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

/** A list of entities of one kind; `bit` notes that there are some. A second list of the same kind is left. */
function walkTags(bit: u32, field: u32): bool {
  if ((contents & (bit << 8)) !== 0 || !pass(0x5b)) return false;
  contents |= bit << 8;
  let more = !comesNext(0x5d);
  let entries: u32 = 0;
  while (more) {
    contents |= bit;
    if (++entries > MOST_ENTRIES || !(field === URL ? walkUrl() : walkTag(field))) return false;
    more = pass(0x2c);
  }
  return pass(0x5d);
}

function walkTag(field: u32): bool {
  if (!isWanted(field)) return skipValue(4);
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  let seen: u32 = 0;
  while (more) {
    if (!readKey()) return false;
    const bit = tagKey(field);
    if (bit === 0) {
      if (!skipValue(5)) return false;
    } else {
      if ((seen & bit) !== 0 || !walkValue(field, LONGEST_VALUE)) return false;
      seen |= bit;
    }
    more = pass(0x2c);
  }
  return pass(0x7d);
}

/** A bit for each key whose value is the tag, or the person by name or by id. */
function tagKey(field: u32): u32 {
  if (field !== MENTION) return isKey(name.TAG) ? 1 : 0;
  return isKey(name.USERNAME) ? 1 : isKey(name.ID) ? 2 : 0;
}

// The strings of one link begin and end there.
let addressAt: u32 = 0;
let addressEnd: u32 = 0;
let expandedAt: u32 = 0;
let expandedEnd: u32 = 0;
let unwoundAt: u32 = 0;
let unwoundEnd: u32 = 0;
let titleAt: u32 = 0;
let descriptionAt: u32 = 0;
let linkStart: i32 = -1;
let linkEnd: i32 = -1;

function walkUrl(): bool {
  addressAt = 0;
  expandedAt = 0;
  unwoundAt = 0;
  titleAt = 0;
  descriptionAt = 0;
  linkStart = -1;
  linkEnd = -1;
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey() || !walkUrlKey()) return false;
    more = pass(0x2c);
  }
  if (!pass(0x7d)) return false;
  const after = at;
  if (!addUrl()) return false;
  moveTo(after);
  return true;
}

function walkUrlKey(): bool {
  if (isKey(name.URL)) {
    if (addressAt !== 0 || !pass(0x22)) return false;
    addressAt = at;
    if (!skipPlainString()) return false;
    addressEnd = at - 1;
    return true;
  }
  if (isLongKey(12, name.EXPANDED_URL, name.EXPANDED_URL_END)) {
    if (expandedAt !== 0 || !pass(0x22)) return false;
    expandedAt = at;
    if (!skipPlainString()) return false;
    expandedEnd = at - 1;
    return true;
  }
  if (isLongKey(11, name.UNWOUND_URL, name.UNWOUND_URL_END)) {
    if (unwoundAt !== 0 || !pass(0x22)) return false;
    unwoundAt = at;
    if (!skipPlainString()) return false;
    unwoundEnd = at - 1;
    return true;
  }
  return walkUrlFact();
}

function walkUrlFact(): bool {
  if (isKey(name.START)) {
    if (linkStart >= 0) return false;
    linkStart = readCount();
    return linkStart >= 0;
  }
  if (isKey(name.END)) {
    if (linkEnd >= 0) return false;
    linkEnd = readCount();
    return linkEnd >= 0;
  }
  if (isKey(name.TITLE)) {
    if (titleAt !== 0 || !pass(0x22)) return false;
    titleAt = at;
    return skipString();
  }
  if (isLongKey(11, name.DESCRIPTION, name.DESCRIPTION_END)) {
    if (descriptionAt !== 0 || !pass(0x22)) return false;
    descriptionAt = at;
    return skipString();
  }
  return skipValue(5);
}

/** Adds the addresses, each once, to the links; those that do not stand in the text also to its words. */
function addUrl(): bool {
  // A link without a place in the text would count as its words.
  if (addressAt !== 0 && addressEnd > addressAt && (linkStart < 0 || linkEnd - linkStart < 2)) return false;
  if (isSame(expandedAt, expandedEnd, addressAt, addressEnd)) expandedAt = 0;
  if (isSame(unwoundAt, unwoundEnd, addressAt, addressEnd) || isSame(unwoundAt, unwoundEnd, expandedAt, expandedEnd))
    unwoundAt = 0;
  if (!addAddress(expandedAt, TEXT_FIELD) || !addAddress(unwoundAt, TEXT_FIELD)) return false;
  if (isWanted(URL) && !(addAddress(addressAt, URL) && addAddress(expandedAt, URL) && addAddress(unwoundAt, URL)))
    return false;
  if (isWanted(URL_TITLE) && !addAddress(titleAt, URL_TITLE)) return false;
  return !isWanted(URL_DESCRIPTION) || addAddress(descriptionAt, URL_DESCRIPTION);
}

function isSame(one: u32, oneEnd: u32, other: u32, otherEnd: u32): bool {
  return (
    one !== 0 && other !== 0 && oneEnd - one === otherEnd - other && memory.compare(one, other, oneEnd - one) === 0
  );
}

function addAddress(from: u32, field: u32): bool {
  if (from === 0 || load<u8>(from) === 0x22) return true;
  moveTo(from);
  return readText(field, false);
}

function walkIncludes(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  let hasUsers = false;
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.USERS) && usersCount()) {
      if (hasUsers || !walkUsers()) return false;
      hasUsers = true;
    } else if (!skipValue(2)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

/** Whether some rule asks something of the author that only the user tells. */
function usersCount(): bool {
  return (
    isWanted(FROM) ||
    isWanted(IS) ||
    isWanted(AFFILIATE) ||
    isWanted(BIO) ||
    isWanted(BIO_NAME) ||
    isWanted(BIO_LOCATION)
  );
}

function walkUsers(): bool {
  if (!pass(0x5b)) return false;
  let more = !comesNext(0x5d);
  while (more) {
    if (users === MOST_USERS || !walkUser()) return false;
    users++;
    more = pass(0x2c);
  }
  return pass(0x5d);
}

function walkUser(): bool {
  const user = scratch + USERS + (users << 4);
  memory.fill(user, 0, 16);
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.ID) || isKey(name.USERNAME)) {
      const place = user + (isKey(name.ID) ? 0 : 8);
      if (load<u32>(place) !== 0 || !pass(0x22)) return false;
      store<u32>(place, at);
      if (!skipPlainString()) return false;
      store<u32>(place, at - 1, 4);
    } else if (isLeftOfUser()) {
      store<u32>(scratch, FOR_PART, LEFT_FOR);
      return false;
    } else if (!skipValue(4)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

function isLeftOfUser(): bool {
  if (isKey(name.VERIFIED)) return isWanted(IS);
  if (isLongKey(11, name.AFFILIATION, name.AFFILIATION_END)) return isWanted(AFFILIATE);
  if (isLongKey(11, name.DESCRIPTION, name.DESCRIPTION_END)) return isWanted(BIO);
  if (isKey(name.NAME)) return isWanted(BIO_NAME);
  return isKey(name.LOCATION) && isWanted(BIO_LOCATION);
}

function addTexts(): bool {
  const finding =
    !hasEntities && (isWanted(HASHTAG) || isWanted(MENTION) || isWanted(CASHTAG) || isWanted(URL) || isWanted(HAS));
  if (finding && textLength > LONGEST_POST) return false;
  moveTo(textAt);
  if (!readText(TEXT_FIELD, finding)) return false;
  if (finding) {
    // A seeming tag may stand in a link, which has no blanks.
    if (mayHaveLink && (isWanted(URL) || isWanted(HAS) || someAreJoined)) return false;
    if (mayHaveCashtag && (isWanted(CASHTAG) || isWanted(HAS))) return false;
    addFound();
    contents = (tagsFound > 0 ? 1 : 0) | (namesFound > 0 ? 2 : 0);
  }
  if (!isWanted(HAS)) return true;
  if ((contents & 1) !== 0) addFlag(HAS, name.HASHTAGS, 8);
  if ((contents & 2) !== 0) addFlag(HAS, name.MENTIONS, 8);
  if ((contents & 4) !== 0) addFlag(HAS, name.CASHTAGS, 8);
  if ((contents & 8) !== 0) addFlag(HAS, 0x736b6e696c, 5);
  return true;
}

/** The author by id and by the name of the first user with that id. */
function addAuthor(): bool {
  if (authorAt === 0 || authorEnd === authorAt || !isWanted(FROM)) return true;
  moveTo(authorAt);
  if (!readValue(FROM, LONGEST_VALUE)) return false;
  for (let index: u32 = 0; index < users; index++) {
    const user = scratch + USERS + (index << 4);
    if (isSame(load<u32>(user), load<u32>(user, 4), authorAt, authorEnd)) {
      const place = load<u32>(user, 8);
      if (place === 0) return true;
      moveTo(place);
      return readValue(FROM, LONGEST_VALUE);
    }
  }
  return true;
}
