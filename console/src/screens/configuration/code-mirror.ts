import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { xml } from '@codemirror/lang-xml';
import { foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { call } from '../../api/client.js';
import type { ConfigurationProblemDto } from '../../api/schema.js';
import type { Checked } from './xml-editor.js';

interface Options {
  readonly text: string;
  readonly line?: number;
  readonly editable: boolean;
  readonly onChange: (text: string) => void;
  readonly onChecked: (checked: Checked) => void;
}

const CHECK_AFTER_MS = 350;

const colours = HighlightStyle.define([
  { tag: tags.tagName, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.attributeName, color: 'var(--info)' },
  { tag: tags.attributeValue, color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: '13px', maxHeight: '70vh', border: '1px solid var(--line-strong)', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft) !important' },
  '.cm-tooltip': { background: 'var(--surface)', border: '1px solid var(--line-strong)', color: 'var(--text)' },
  '.cm-changedLine, .cm-insertedLine': { background: 'var(--good-soft) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--good) 30%, transparent) !important' },
  '.cm-deletedChunk': { background: 'var(--bad-soft) !important' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--bad) 30%, transparent) !important' },
});

const shared: Extension = [lineNumbers(), xml(), syntaxHighlighting(colours), theme, EditorView.lineWrapping];

/**
 * CodeMirror makes its styles at run time. Inside a shadow root it does so without style elements, which the
 * Content-Security-Policy of this page forbids.
 */
const rootIn = (element: HTMLElement): ShadowRoot => element.shadowRoot ?? element.attachShadow({ mode: 'open' });

export function openEditor(element: HTMLElement, options: Options): () => void {
  const { text, line, editable, onChange } = options;
  const root = rootIn(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        shared,
        foldGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorState.readOnly.of(!editable),
        EditorView.contentAttributes.of({ 'aria-label': 'CrawlConfig.xml' }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
        editable ? checking(options) : [],
      ],
    }),
  });
  if (line !== undefined) showLine(view, line);
  return () => view.destroy();
}

/** The server's own checker runs while one types: the same messages at the same places as `crawlway check`. */
const checking = ({ onChecked }: Options): Extension => [
  lintGutter(),
  linter(
    async ({ state: { doc } }) => {
      const { problems } = await call('POST /api/v1/config/check', { body: doc.toString() });
      const errors = problems.filter(({ severity }) => severity === 'error').length;
      onChecked({ errors, warnings: problems.length - errors });
      return problems.map((problem) => diagnostic(doc, problem));
    },
    { delay: CHECK_AFTER_MS },
  ),
];

function diagnostic(doc: Text, { severity, code, message, line, column, file }: ConfigurationProblemDto): Diagnostic {
  const inFile = !/\.rules$|\.conf$/.test(file) && line <= doc.lines;
  const at = doc.line(inFile ? line : 1);
  const from = Math.min(at.from + (inFile ? column - 1 : 0), at.to);
  const word = /^[^\s>]*/.exec(doc.sliceString(from, at.to))?.[0] ?? '';
  const place = inFile ? '' : `${file}:${line}:${column} `;
  return { from, to: Math.max(from, from + word.length), severity, message: `${place}${message} (${code})` };
}

function showLine(view: EditorView, wanted: number): void {
  const line = view.state.doc.line(Math.min(Math.max(1, wanted), view.state.doc.lines));
  view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: 'center' }) });
  view.focus();
}

export function openDifference(element: HTMLElement, { before, after }: { before: string; after: string }): () => void {
  const root = rootIn(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: after,
      extensions: [
        shared,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': 'Difference between the two versions' }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  });
  return () => view.destroy();
}
