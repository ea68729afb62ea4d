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

const CHECK_AFTER_MS = 350;

const colours = HighlightStyle.define([
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
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft) !important' },
  '.cm-panel.cm-panel-lint ul': { background: 'var(--surface)', color: 'var(--text)' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { background: 'var(--accent-soft) !important' },
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
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--bad) 30%, transparent) !important' },
});

const shared: Extension = [lineNumbers(), syntaxHighlighting(colours), theme, EditorView.lineWrapping];

/**
 * CodeMirror creates its styles at run time. Inside a shadow root, it does so without style elements, which this page's
 * Content-Security-Policy forbids.
 */
const openShadowRoot = (element: HTMLElement): ShadowRoot =>
  element.shadowRoot ?? element.attachShadow({ mode: 'open' });

export function openEditor(element: HTMLElement, options: CodeProps): () => void {
  const { label, language, text, line, editable, onChange } = options;
  const root = openShadowRoot(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        shared,
        language === 'xml' ? [xmlLanguage(), foldGutter()] : rulesLanguage,
        options.elements && editable ? completionExtension(options.elements) : [],
        search({ top: true }),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorState.readOnly.of(!editable),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
        editable ? lintExtension(options.check) : [],
      ],
    }),
  });
  if (line !== undefined) showLine(view, line);
  return () => view.destroy();
}

/**
 * End tags are offered but never inserted automatically, because people who also type them would get each of them
 * twice.
 */
const xmlLanguage = () => xml({ autoCloseTags: false });

/** Elements, attributes and values of the schema, offered where they are allowed; Control-Space lists them. */
const completionExtension = (elements: NonNullable<CodeProps['elements']>): Extension =>
  autocompletion({
    override: [(context) => completeFromSchema(toElementSpecs(elements, context.state.doc.toString()), [])(context)],
  });

/** F8 goes from problem to problem, Control-Shift-M opens a list of the problems. */
const lintExtension = (check: CodeProps['check']): Extension => [
  lintGutter(),
  keymap.of(lintKeymap),
  linter(async ({ state: { doc } }) => (await check(doc.toString())).map((problem) => toDiagnostic(doc, problem)), {
    delay: CHECK_AFTER_MS,
  }),
];

function toDiagnostic(doc: Text, { severity, code, message, line, column = 1 }: TextProblem): Diagnostic {
  const at = doc.line(line !== undefined && line <= doc.lines ? line : 1);
  const from = line === undefined ? at.from : Math.min(at.from + column - 1, at.to);
  const word = /^[^\s>]*/.exec(doc.sliceString(from, at.to))?.[0] ?? '';
  return { from, to: Math.max(from, from + word.length), severity, message: `${message} (${code})` };
}

function showLine(view: EditorView, wanted: number): void {
  const line = view.state.doc.line(Math.min(Math.max(1, wanted), view.state.doc.lines));
  view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: 'center' }) });
  view.focus();
}

interface Difference {
  readonly before: string;
  readonly after: string;
  readonly language: CodeProps['language'];
}

export function openDifference(element: HTMLElement, { before, after, language }: Difference): () => void {
  const root = openShadowRoot(element);
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: after,
      extensions: [
        shared,
        language === 'xml' ? xmlLanguage() : rulesLanguage,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': 'Difference between the two versions' }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  });
  return () => view.destroy();
}
