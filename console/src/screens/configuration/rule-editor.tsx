import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleActionDto, RuleDto, RuleMatchDto } from '../../api/schema.js';
import { Dialog } from '../../ui/dialog.js';
import { CheckSummary, type DraftCheck, useDraftCheck } from './checking.js';
import { CodeEditor } from './code-editor.js';
import { joinPart, type Part, toPartPosition } from './part.js';
import { ActionFields } from './rule-actions.js';
import { MatchFields } from './rule-match.js';
import { buildRuleXml, expandMatch } from './rule-text.js';

interface EditorProps {
  /** Absent for a new rule. */
  readonly rule?: RuleDto;
  /** The position of the rule in the configuration, or of the new one. */
  readonly part: Part;
  /** Path of the configuration, as problems name it. */
  readonly file: string;
  /** Called with the XML of the Rule element. */
  readonly onDone: (xml: string) => void;
  readonly onClose: () => void;
}

const DEFAULT_ACTIONS: readonly RuleActionDto[] = [{ element: 'Accept' }];
const DEFAULT_MATCH: readonly RuleMatchDto[] = [
  { element: 'Atom', field: 'url', kind: 'prefix', litteral: true, value: '' },
];

/** Edits a rule in a form, or as XML, which is required if its conditions are nested. */
export function RuleEditor({ rule, part, file, onDone, onClose }: EditorProps): JSX.Element {
  const [initialMatch] = useState(rule?.match.map(expandMatch) ?? DEFAULT_MATCH);
  const [match, setMatch] = useState(initialMatch);
  const [actions, setActions] = useState(rule?.actions ?? DEFAULT_ACTIONS);
  const [xml, setXml] = useState(rule?.xml ?? '');
  /** The initial text of the XML editor. */
  const [initialXml, setInitialXml] = useState(xml);
  const isNested = match.some(({ children }) => children?.length);
  const [asXml, setAsXml] = useState(isNested);
  const isEdited = match !== initialMatch || actions !== (rule?.actions ?? DEFAULT_ACTIONS);
  const configuration = joinPart(part, '');
  const { problemCounts, check } = useDraftCheck(
    (text) => ({ xml: joinPart(part, text) }),
    (problem, text) => (problem.file === file ? toPartPosition(part, text, problem) : undefined),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    onDone(asXml ? xml : buildRuleXml(match, actions, configuration));
  };
  const switchToXml = (): void => {
    const currentXml = rule && !isEdited ? rule.xml : buildRuleXml(match, actions, configuration);
    setXml(currentXml);
    setInitialXml(currentXml);
    setAsXml(true);
  };
  return (
    <Dialog
      title={rule ? `Rule ${rule.index + 1}` : 'New rule'}
      onClose={onClose}
      hasInput={isEdited || xml !== initialXml}
      wide
    >
      <form class="stack" onSubmit={submit}>
        {asXml ? (
          <RuleXml text={initialXml} problemCounts={problemCounts} check={check} onChange={setXml} />
        ) : (
          <>
            <MatchFields match={match} onChange={setMatch} />
            <ActionFields actions={actions} onChange={setActions} />
          </>
        )}
        <footer class="actions end">
          {!asXml && (
            <button type="button" class="button" onClick={switchToXml}>
              Edit as XML
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={asXml && problemCounts.errors > 0}>
            Preview…
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface XmlProps extends DraftCheck {
  readonly text: string;
  readonly onChange: (xml: string) => void;
}

const RuleXml = ({ text, problemCounts, check, onChange }: XmlProps): JSX.Element => (
  <div class="field">
    <div class="row">
      <span class="label">Rule element</span>
      <CheckSummary problemCounts={problemCounts} />
    </div>
    <CodeEditor label="Rule element" language="xml" text={text} editable onChange={onChange} check={check} />
  </div>
);
