/**
 * The editor of one rule text: colours from the language's lexer, completion with help, and underlined diagnostics with
 * fixes. It lives in a shadow root with adopted style sheets, because the page's policy allows no style elements.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic as Lint, linter, lintKeymap } from '@codemirror/lint';
import {
  Annotation,
  Compartment,
  type Extension,
  Prec,
  RangeSetBuilder,
  StateField,
  type Text,
} from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { describeFix } from '../../../src/rules/fix.ts';
import type { Language } from '../../../src/rules/language.ts';
import { completionsFor } from './completions.ts';
import { editorTheme } from './editor-theme.ts';
import { tokensOf } from './tokens.ts';

export interface CodeEditorProps {
  readonly language: Language;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly readOnly?: boolean;
  onChange(value: string): void;
  /** Called on Ctrl+Enter or Cmd+Enter. */
  onSubmit(): void;
}

export function CodeEditor({ language, label, hint, value, readOnly = false, onChange, onSubmit }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  /** Typed texts that have not come back as the value yet. */
  const typed = useRef<string[]>([]);
  const latest = useRef({ language, value, onChange, onSubmit });
  useEffect(() => {
    latest.current = { language, value, onChange, onSubmit };
  });

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const submit = () => {
      latest.current.onSubmit();
      return true;
    };
    const editor = new EditorView({
      root,
      parent: root,
      doc: latest.current.value,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => submit() }])),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((one) => one.annotation(GIVEN))) return;
          const text = update.state.doc.toString();
          typed.current.push(text);
          latest.current.onChange(text);
        }),
        EditorView.editable.of(!readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, ...(readOnly && { tabindex: '0' }) }),
        placeholder(hint),
        history(),
        SPEECH.of(extensionsFor(latest.current.language)),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, hint, readOnly]);

  // The server's limits may arrive while the user types. Reconfiguring keeps the cursor in place.
  useEffect(() => view.current!.dispatch({ effects: SPEECH.reconfigure(extensionsFor(language)) }), [language]);

  useEffect(() => {
    const editor = view.current!;
    // A typed text comes back as the value, perhaps after more was typed. It needs no update then.
    const at = typed.current.lastIndexOf(value);
    typed.current.splice(0, at === -1 ? typed.current.length : at + 1);
    const written = editor.state.doc.toString();
    if (at !== -1 || written === value) return;
    editor.dispatch({ changes: { from: 0, to: written.length, insert: value }, annotations: GIVEN.of(true) });
  }, [value]);

  return <div ref={host} />;
}

/** Marks a change that came from outside, which `onChange` must not report. */
const GIVEN = Annotation.define<boolean>();

/** The extensions that depend on the language. */
const SPEECH = new Compartment();

const extensionsFor = (language: Language): Extension => [
  drawSelection(),
  EditorView.lineWrapping,
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [completionsFor(language)], icons: false }),
  linter((editor) => lintsOf(language, editor.state.doc.toString()), { delay: 200 }),
  colours(language),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
  editorTheme,
];

/** A line never ends between a minus and what it excludes. */
const TOGETHER = Decoration.mark({ class: 'tok-together' });

/** A rule has a few hundred characters, so each change lexes all of it again. */
function colours({ name }: Language): Extension {
  const marks = (doc: Text): DecorationSet => {
    const ranges = new RangeSetBuilder<Decoration>();
    const text = doc.toString();
    for (const { kind, start, end } of tokensOf(name, text)) {
      const [excluded] = /^-\S{1,30}/.exec(text.slice(start)) ?? [];
      if (excluded !== undefined) ranges.add(start, start + excluded.length, TOGETHER);
      if (start < end) ranges.add(start, end, Decoration.mark({ class: `tok-${kind}` }));
    }
    return ranges.finish();
  };
  return StateField.define<DecorationSet>({
    create: ({ doc }) => marks(doc),
    update: (drawn, { docChanged, newDoc }) => (docChanged ? marks(newDoc) : drawn),
    provide: (field) => EditorView.decorations.from(field),
  });
}

function lintsOf(language: Language, text: string): Lint[] {
  const blanks = text.length - text.trimStart().length;
  if (text.trim() === '') return [];
  return language.parse(text.trim()).diagnostics.map(({ span, severity, message, fixes }) => ({
    from: Math.min(blanks + span.start, text.length),
    to: Math.min(blanks + span.end, text.length),
    severity,
    message,
    ...(fixes && {
      actions: fixes.map((fix) => ({
        name: `Fix: ${describeFix(text.trim(), fix)}`,
        apply: (editor: EditorView) =>
          editor.dispatch({
            changes: { from: blanks + fix.span.start, to: blanks + fix.span.end, insert: fix.text },
          }),
      })),
    }),
  }));
}
