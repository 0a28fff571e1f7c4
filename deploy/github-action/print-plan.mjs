/**
 * A plan as markdown. All that comes from rules, events and the file's name stands in fenced blocks, where GitHub reads no
 * mention, no link and no markup.
 */

/** GitHub takes 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const MOST_OF_A_LINE = 300;
const SIGNS = { create: '+', update: '!', replace: '!', delete: '-' };

/** Invisible, and the same for every run on a file. Two dashes would end an HTML comment. */
export const markerOf = (file) => `<!-- sluice-plan ${encodeURIComponent(file).replaceAll('-', '%2D')} -->`;

/** One line, without characters that hide or turn others around. */
export function oneLine(text) {
  const line = String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return line.length > MOST_OF_A_LINE ? `${line.slice(0, MOST_OF_A_LINE - 1)}…` : line;
}

/** The fence is longer than every run of backticks inside. */
function fenced(lines, language) {
  const text = lines.join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const rate = (value) => (value === 0 || value >= 10 ? String(Math.round(value)) : value.toPrecision(2));

const NO_RATE = {
  existing_rules: 'only events that existing rules caught, so the number a day is not known',
  demo: 'all invented by the demo feed, so the number a day is not known',
  too_short: 'of less than ten minutes, so the number a day is not known',
};

function measuredLines({ platform, measured, reason }) {
  if (measured === undefined) return [`  ${platform}: not known: ${oneLine(reason)}`];
  const { added, removed, basis, recent_events: events, from, to } = measured;
  const isRate = added.a_day !== null && removed.a_day !== null;
  const head = isRate
    ? `+${rate(added.a_day)} / -${rate(removed.a_day)} a day, measured on ${counted(events, 'recent event')}`
    : `+${added.events} / -${removed.events} of ${counted(events, 'recent event')} (${NO_RATE[basis] ?? basis})`;
  return [
    `  ${platform}: ${head}, from ${from} to ${to}`,
    ...added.samples.map((text) => `+     ${oneLine(text)}`),
    ...removed.samples.map((text) => `-     ${oneLine(text)}`),
  ];
}

function changeLines({ action, name, differences = [], texts = {}, measured = [] }) {
  return [
    `${SIGNS[action] ?? ' '} ${action} ${oneLine(name)}`,
    ...Object.entries(texts).map(([platform, text]) => `+   ${platform}: ${oneLine(text)}`),
    ...differences.flatMap(({ field, from, to }) => [
      ...(from === undefined ? [] : [`-   ${field}: ${oneLine(from)}`]),
      ...(to === undefined ? [] : [`+   ${field}: ${oneLine(to)}`]),
    ]),
    ...measured.flatMap(measuredLines),
  ];
}

/** As many changes as fit; the number of the others is said. */
function changeBlocks(changes) {
  const blocks = [];
  let left = MOST_CHARACTERS;
  for (const [at, change] of changes.entries()) {
    const block = fenced(changeLines(change), 'diff');
    left -= block.length + 2;
    if (left < 0) return [...blocks, `${counted(changes.length - at, 'further change')} did not fit.`];
    blocks.push(block);
  }
  return blocks;
}

function sampleBlocks({ samples, passed, failed, not_known: notKnown, failures }) {
  const rest = notKnown === 0 ? '' : `, ${notKnown} not known`;
  const head = `${counted(samples, 'sample')}: ${passed} passed, ${failed} failed${rest}.`;
  const lines = failures
    .slice(0, 10)
    .map(({ place, rule, platform, expected, message, hint = '' }) =>
      oneLine(`${place}: ${rule}, ${platform}, ${expected}: ${message} ${hint}`),
    );
  return lines.length === 0 ? [head] : [head, fenced(lines, 'text')];
}

export function printPlan(file, { changes, unchanged, samples }) {
  const head =
    changes.length === 0
      ? `### Sluice: nothing to change, ${counted(unchanged, 'rule')} as in the file`
      : `### Sluice: ${counted(changes.length, 'change')}, ${counted(unchanged, 'rule')} unchanged`;
  const told = samples ? sampleBlocks(samples) : [];
  return [markerOf(file), head, fenced([oneLine(file)], 'text'), ...told, ...changeBlocks(changes)].join('\n\n');
}

export function printFailure(file, message) {
  const lines = String(message).split('\n').slice(0, 100).map(oneLine);
  return [markerOf(file), '### Sluice: the file cannot be applied', fenced([oneLine(file), ...lines], 'text')].join(
    '\n\n',
  );
}
