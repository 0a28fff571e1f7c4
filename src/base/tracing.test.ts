import { describe, expect, it } from 'vitest';
import { errorType, inSpan, parentAndLinks, readTraceContext, type SpanAttributes, type TraceSpan } from './tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const of = (span: string, flags = '01') => ({ traceparent: `00-${TRACE}-${span}-${flags}` });

describe('the context that a stranger sends', () => {
  it.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
    ['that is not recorded', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['of a later version, with more at its end', `cc-${TRACE}-${SPAN}-01-more`, `00-${TRACE}-${SPAN}-01`],
    ['of a later version', `01-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  ])('%s is taken', (_, given, taken) => {
    expect(readTraceContext(given)).toEqual({ traceparent: taken });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['of version 00 with more at its end', `00-${TRACE}-${SPAN}-01-more`],
    ['of the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['two headers in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['longer than any header should be', `01-${TRACE}-${SPAN}-01-${'x'.repeat(100_000)}`],
    ['no text', { traceparent: 1 }],
  ])('that is %s is not taken', (_, given) => {
    expect(readTraceContext(given)).toBeUndefined();
  });

  it('keeps the state of vendors up to 512 characters, and goes on without a longer one', () => {
    const parent = `00-${TRACE}-${SPAN}-01`;
    expect(readTraceContext(parent, 'a=1')).toEqual({ traceparent: parent, tracestate: 'a=1' });
    expect(readTraceContext(parent, `a=${'1'.repeat(511)}`)).toEqual({ traceparent: parent });
    expect(readTraceContext(parent, ['a=1'])).toEqual({ traceparent: parent });
  });
});

describe('a span with several causes', () => {
  const [one, two, three] = [of('1'.repeat(16), '00'), of('2'.repeat(16)), of('3'.repeat(16))] as const;

  it('is a child of the first that is recorded, and linked to the others', () => {
    expect(parentAndLinks([one, two, three])).toEqual({ parent: two, links: [one, three] });
    expect(parentAndLinks([one])).toEqual({ parent: one, links: [] });
    expect(parentAndLinks([])).toEqual({ parent: undefined, links: [] });
  });

  it('has 128 links at most', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => of(String(at).padStart(16, '1')));
    expect(parentAndLinks(many).links).toEqual(many.slice(1, 129));
  });
});

describe('work in a span', () => {
  function spanOf() {
    const heard: unknown[] = [];
    const span: TraceSpan = {
      context: of(SPAN),
      set: (attributes: SpanAttributes) => void heard.push(attributes),
      fail: (type) => void heard.push(type),
      end: () => void heard.push('end'),
    };
    return { span, heard };
  }

  it('ends it with what came of the work', async () => {
    const { span, heard } = spanOf();
    expect(
      await inSpan(
        span,
        async ({ traceparent }) => traceparent.length,
        (length) => ({ length }),
      ),
    ).toBe(55);
    expect(heard).toEqual([{ length: 55 }, 'end']);
  });

  it('ends it with the type of the error, which is thrown on', async () => {
    const { span, heard } = spanOf();
    const error = Object.assign(new Error('the secret is sk_1'), { code: 'unavailable' });
    await expect(inSpan(span, () => Promise.reject(error))).rejects.toBe(error);
    expect(heard).toEqual(['unavailable', 'end']);
  });

  it('names an error by its code or its class, never by its message', () => {
    expect(errorType(new TypeError('sk_1'))).toBe('TypeError');
    expect(errorType(Object.assign(new Error(''), { code: 'a secret with blanks' }))).toBe('Error');
    expect(errorType({ name: 'x'.repeat(65) })).toBe('_OTHER');
  });
});
