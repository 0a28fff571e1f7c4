import { describe, expect, it } from 'vitest';
import { type MessageFields, MessageLink } from './fields.ts';
import { isProblem, LONGEST_TEMPLATE, parseTemplate } from './template.ts';

const at = new Date('2026-07-15T08:05:09Z');
const FIELDS: MessageFields = {
  rule: 'Storms',
  title: '',
  text: 'a storm',
  url: new MessageLink('https://news.example/1'),
  time: at,
  relevance: 0.876,
  stories: [
    { title: 'one', size: 2 },
    { title: 'two', size: 1 },
  ],
};

function written(text: string, fields: MessageFields = FIELDS): string {
  const template = parseTemplate(text);
  if (isProblem(template)) throw new Error(template.message);
  return template
    .write(fields)
    .map((piece) => (piece.kind === 'own' ? piece.text : `${piece.kind[0]}(${piece.text})`))
    .join('');
}

/** The message about what is wrong, and the part of the text that it is about. */
function problem(text: string): [message: string, of: string] {
  const parsed = parseTemplate(text);
  if (!isProblem(parsed)) throw new Error('It is right.');
  return [parsed.message, text.slice(parsed.position.start, parsed.position.end)];
}

describe('a template', () => {
  it('writes fields, and tells what the account wrote from values and links', () => {
    expect(written('*{{ rule }}*: {{ text }} {{ url }}')).toBe('*v(Storms)*: v(a storm) l(https://news.example/1)');
  });

  it('takes an empty field for nothing', () => {
    expect(written('{% if title %}{{ title }}{% else %}none{% endif %}')).toBe('none');
    expect(written('{{ title | default: "none" }}')).toBe('v(none)');
    expect(written('{% unless title %}none{% endunless %}{% if author %}no{% endif %}')).toBe('none');
  });

  it('goes through the stories of a digest', () => {
    expect(written('{% for s in stories %}{{ forloop.index }}. {{ s.title }} ({{ s.size }})\n{% endfor %}')).toBe(
      'v(1). v(one) (v(2))\nv(2). v(two) (v(1))\n',
    );
  });

  it('makes no link of an address that a filter changed', () => {
    expect(written('{{ url | upcase }} {{ url | default: "x" }}')).toBe(
      'v(HTTPS://NEWS.EXAMPLE/1) l(https://news.example/1)',
    );
  });

  it('counts, cuts and rounds', () => {
    expect(written('{{ relevance | times: 100 | round }} {{ text | truncate: 4, "…" }} {{ stories.size }}')).toBe(
      'v(88) v(a s…) v(2)',
    );
  });

  it.each([
    ['{{ time }}', '2026-07-15 08:05 UTC'],
    ['{{ time | date }}', '2026-07-15 08:05'],
    ['{{ time | date: "%-d %B %Y, %H:%M", "Europe/Berlin" }}', '15 July 2026, 10:05'],
    [
      '{{ time | date: "%a %A %b %d %e %F %T %R %y %m %S %%", "Asia/Tokyo" }}',
      'Wed Wednesday Jul 15 15 2026-07-15 17:05:09 17:05 26 07 09 %',
    ],
    ['{{ time | date: "%I:%M %p %Z %Q", "America/New_York" }}', '04:05 AM America/New_York %Q'],
    ['{{ text | date: "%Y" }}', 'a storm'],
  ])('writes times in a zone: %s', (text, expected) => {
    expect(written(text)).toBe(`v(${expected})`);
  });

  it('writes digests when it names a field of them', () => {
    const isForDigests = (text: string) => {
      const template = parseTemplate(text);
      return !isProblem(template) && template.isForDigests;
    };
    expect(isForDigests('{{ text }}')).toBe(false);
    expect(isForDigests('{% if digest %}a{% else %}{{ text }}{% endif %}')).toBe(true);
    expect(isForDigests('{% for story in stories %}{{ story.title }}{% endfor %}')).toBe(true);
  });
});

describe('a template that is wrong', () => {
  it.each([
    ['Hi {{ autor }}', 'There is no field `autor`. The fields are rule, title, ', 'autor'],
    ['{{ text.constructor }}', 'Fields have no fields in them.', 'text.constructor'],
    ['{{ text["constructor"]["prototype"] }}', 'Fields have no fields in them.', 'text["constructor"]["prototype"]'],
    ['{% for s in stories %}{{ s.bad }}{% endfor %}', 'There is no field `s.bad`. The fields are title, ', 's.bad'],
    ['{% for s in stories %}{{ s }}{% endfor %}', 'Name a field of it, such as `s.title`.', 's'],
    ['a {% for i in (1..9) %}{% endfor %}', 'Loops go through `stories`, and nothing else.', '{% for i in (1..9) %}'],
    [
      '{% for a in stories %}{% if text %}{% for b in stories %}{% endfor %}{% endif %}{% endfor %}',
      'A loop cannot be inside another loop.',
      '{% for b in stories %}',
    ],
    ['{% assign a = 1 %}', 'There is no tag `assign`. The tags are if, unless, ', '{% assign a = 1 %}'],
    ['{% include "/etc/passwd" %}', 'There is no tag `include`.', '{% include "/etc/passwd" %}'],
    ['{% render "a" %}', 'There is no tag `render`.', '{% render "a" %}'],
    ['{% echo text %}', 'There is no tag `echo`.', '{% echo text %}'],
    ['{% cycle text, "a" %}', 'There is no tag `cycle`.', '{% cycle text, "a" %}'],
    ['{% liquid echo text %}', 'There is no tag `liquid`.', '{% liquid echo text %}'],
    ['{{ text | raw }}', 'There is no filter `raw`. The filters are truncate, ', '{{ text | raw }}'],
    ['{{ text | append: text }}', 'There is no filter `append`.', '{{ text | append: text }}'],
    ['{{ text', 'This field is never closed. Add }}.', '{{ text'],
    ['{% if text %}a', 'This tag is never closed.', '{% if text %}'],
    ['a\u0001b', 'This control character cannot be sent.', '\u0001'],
    ['{{ text | default: autor }}', 'There is no field `autor`.', 'autor'],
    ['{{ text | default: "a", allow_false: autor }}', 'There is no field `autor`.', 'autor'],
    ['{% if text == autor %}a{% endif %}', 'There is no field `autor`.', 'autor'],
    ['{% case autor %}{% when 1 %}a{% endcase %}', 'There is no field `autor`.', 'autor'],
    ['x'.repeat(LONGEST_TEMPLATE + 1), 'It has 4001 characters; 4000 are the most.', 'x'],
    ['{{ text }}'.repeat(101), 'It has 303 tags, fields and filters; 200 are the most.', 'text'],
    [`{{ text${' | upcase'.repeat(200)} }}`, 'It has 203 tags, fields and filters; 200 are the most.', 'text'],
    ['{{ }}', 'It cannot be read: ', ''],
  ])('says where, and what to do: %s', (text, message, of) => {
    const [said, about] = problem(text);
    expect(said).toContain(message);
    expect(about).toBe(of);
  });

  it.each([
    ['{{ full_text }}'.repeat(20), 'The message has over 16000 characters.'],
    [`{{ full_text${' | upcase'.repeat(120)} }}`, 'Its filters would go through too much text.'],
    ['{{ time | date: "%H", "No/Where" }}', 'There is no such time zone.'],
    [`{{ time | date: "${'%A'.repeat(51)}" }}`, 'A format of a time has 100 characters at most.'],
    ['{% if title %}a{% endif %}', 'The message is empty.'],
  ])('fails at writing, within its limits: %s', (text, message) => {
    const fields = { ...FIELDS, full_text: 'x'.repeat(2_000) };
    expect(() => written(text, fields)).toThrow(
      expect.objectContaining({ name: 'TemplateFault', message: expect.stringContaining(message) }),
    );
  });
});
