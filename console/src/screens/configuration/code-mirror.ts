import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { completeFromSchema, xml } from '@codemirror/lang-xml';
import { foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { CodeProps, TextProblem } from './code-editor.js';
import { toElementSpecs } from './completion.js';
import { rulesLanguage } from './rules-language.js';

const CHECK_DELAY_MS = 350;

const highlightStyle = HighlightStyle.define([
  { tag: tags.tagName, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.attributeName, color: 'var(--info)' },
  { tag: tags.attributeValue, color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: '13px', maxHeight: '70vh', border: '1px solid var(--line-strong)', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-collapsedLines': { background: 'var(--raised)', color: 'var(--muted)' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft) !important' },
  '.cm-panel.cm-panel-lint ul': { background: 'var(--surface)', color: 'var(--text)' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': {
    background: 'var(--accent-soft) !important',
    color: 'var(--text) !important',
  },
  '.cm-diagnostic, .cm-diagnosticText': { color: 'var(--text) !important' },
  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line-strong)' },
  '.cm-textfield': { background: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
  '.cm-button': { background: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
  '.cm-searchMatch': { background: 'var(--warn-soft)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-soft)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionInfo': { maxWidth: '24rem', whiteSpace: 'normal' },
  '.cm-tooltip-lint': { maxWidth: 'min(40rem, 90vw)' },
  '.cm-tooltip': { background: 'var(--surface)', border: '1px solid var(--line-strong)', color: 'var(--text)' },
  '.cm-changedLine, .cm-insertedLine': { background: 'var(--good-soft) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--good) 30%, transparent) !important' },
  '.cm-deletedChunk': { background: 'var(--bad-soft) !important' },
  // On their coloured ground, the colours of the syntax have too little contrast.
  '.cm-changedText, .cm-changedText *, .cm-deletedText, .cm-deletedText *': { color: 'var(--text) !important' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--bad) 30%, transparent) !important' },
});

const sharedExtensions: Extension = [lineNumbers(), syntaxHighlighting(highlightStyle), theme, EditorView.lineWrapping];

/**
 * CodeMirror creates its styles at run time. Inside a shadow root, it does not need style elements, which this page's
 * Content-Security-Policy forbids.
 */
const ensureShadowRoot = (element: HTMLElement): ShadowRoot =>
  element.shadowRoot ?? element.attachShadow({ mode: 'open' });

export function openEditor(element: HTMLElement, options: CodeProps): () => void {
  const { label, language, text, line, editable, onChange } = options;
  const root = ensureShadowRoot(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        sharedExtensions,
        language === 'xml' ? [createXmlLanguage(), foldGutter()] : rulesLanguage,
        options.elements && editable ? createCompletionExtension(options.elements) : [],
        search({ top: true }),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorState.readOnly.of(!editable),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
        editable ? createLintExtension(options.check) : [],
      ],
    }),
  });
  if (line !== undefined) showLine(view, line);
  return () => view.destroy();
}

/**
 * Offers end tags but never inserts them automatically, because users who type them anyway would get each one twice.
 */
const createXmlLanguage = () => xml({ autoCloseTags: false });

/** Elements, attributes and values of the schema, offered where they are allowed; Control-Space lists them. */
const createCompletionExtension = (elements: NonNullable<CodeProps['elements']>): Extension =>
  autocompletion({
    override: [(context) => completeFromSchema(toElementSpecs(elements, context.state.doc.toString()), [])(context)],
  });

/** F8 goes to the next problem, and Control-Shift-M opens the list of problems. */
const createLintExtension = (check: CodeProps['check']): Extension => [
  lintGutter(),
  keymap.of(lintKeymap),
  linter(async ({ state: { doc } }) => (await check(doc.toString())).map((problem) => toDiagnostic(doc, problem)), {
    delay: CHECK_DELAY_MS,
  }),
];

function toDiagnostic(doc: Text, { severity, code, message, line, column = 1 }: TextProblem): Diagnostic {
  const docLine = doc.line(line !== undefined && line <= doc.lines ? line : 1);
  const from = line === undefined ? docLine.from : Math.min(docLine.from + column - 1, docLine.to);
  const word = /^[^\s>]*/.exec(doc.sliceString(from, docLine.to))?.[0] ?? '';
  return { from, to: Math.max(from, from + word.length), severity, message: `${message} (${code})` };
}

function showLine(view: EditorView, lineNumber: number): void {
  const line = view.state.doc.line(Math.min(Math.max(1, lineNumber), view.state.doc.lines));
  view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: 'center' }) });
  view.focus();
}

interface DiffOptions {
  readonly before: string;
  readonly after: string;
  readonly language: CodeProps['language'] | 'plain';
}

export function openDiffView(element: HTMLElement, { before, after, language }: DiffOptions): () => void {
  const root = ensureShadowRoot(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: after,
      extensions: [
        sharedExtensions,
        language === 'xml' ? createXmlLanguage() : language === 'rules' ? rulesLanguage : EditorView.lineWrapping,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': 'Difference between the two versions', tabindex: '0' }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  });
  return () => view.destroy();
}
