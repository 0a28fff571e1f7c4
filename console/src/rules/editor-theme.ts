/** The editor's theme in the colours of the page. Custom properties reach into its shadow root; classes do not. */
import { EditorView } from '@codemirror/view';

const color = (name: string) => `var(--color-${name})`;

export const editorTheme = EditorView.theme({
  '&': { fontSize: '0.8125rem', color: color('ink'), backgroundColor: color('surface') },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', minHeight: '4.75rem', maxHeight: '16rem' },
  '.cm-content': { padding: '0.5rem 0', caretColor: color('accent') },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-cursor': { borderLeftColor: color('accent'), borderLeftWidth: '2px' },
  '.cm-placeholder': { color: color('faint') },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: color('accent-soft'),
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: color('hover'),
    outline: `1px solid ${color('line-strong')}`,
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: color('bad-soft') },
  '.tok-together': { whiteSpace: 'nowrap' },
  '.tok-operator': { color: color('syntax-operator') },
  '.tok-value': { color: color('syntax-value') },
  '.tok-phrase': { color: color('syntax-phrase') },
  '.tok-logic': { color: color('syntax-logic') },
  '.tok-tag': { color: color('syntax-tag') },
  '.tok-number': { color: color('syntax-number') },
  '.tok-bracket': { color: color('faint') },
  // The editor's usual squiggles are images, which the page's policy forbids.
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: `underline wavy ${color('bad')} 1.5px`, textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: `underline wavy ${color('warn')} 1.5px`, textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: color('hover') },
  '.cm-lintPoint::after': { borderBottomColor: color('bad') },
  '.cm-tooltip': {
    border: `1px solid ${color('line-strong')}`,
    borderRadius: 'var(--radius-md)',
    backgroundColor: color('surface'),
    color: color('ink'),
    boxShadow: 'var(--shadow-float)',
    zIndex: '60',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', color: color('ink') },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: color('accent-soft'), color: color('ink') },
  '.cm-completionIcon': { display: 'none' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: color('accent') },
  '.cm-completionDetail': { fontStyle: 'normal', color: color('faint'), fontSize: '0.75rem' },
  '.cm-tooltip.cm-completionInfo': { fontFamily: 'var(--font-sans)', padding: '8px 10px', maxWidth: '20rem' },
  '.cm-completionInfo p': { margin: '0 0 6px', lineHeight: '1.45' },
  '.cm-completionInfo code': { fontFamily: 'var(--font-mono)', fontSize: '0.75rem', color: color('soft') },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)', padding: '6px 10px', maxWidth: '26rem', lineHeight: '1.45' },
  '.cm-diagnostic-error': { borderLeftColor: color('bad') },
  '.cm-diagnostic-warning': { borderLeftColor: color('warn') },
  '.cm-diagnosticAction': {
    font: 'inherit',
    backgroundColor: color('accent'),
    color: color('on-accent'),
    borderRadius: 'var(--radius-sm)',
    padding: '1px 8px',
    margin: '4px 0 0',
  },
});
