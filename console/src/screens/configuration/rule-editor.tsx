import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleActionDto, RuleDto, RuleMatchDto } from '../../api/schema.js';
import { Dialog } from '../../ui/dialog.js';
import { type Checking, CheckSummary, useDraftCheck } from './checking.js';
import { CodeEditor } from './code-editor.js';
import { joinPart, type Part, toPartPosition } from './part.js';
import { ActionFields } from './rule-actions.js';
import { MatchFields } from './rule-match.js';
import { buildRuleXml } from './rule-text.js';

interface EditorProps {
  /** Absent for a new rule. */
  readonly rule?: RuleDto;
  /** Where the rule is, or will be, in the configuration. */
  readonly part: Part;
  /** Path of the configuration, as named in places of problems. */
  readonly file: string;
  /** Called with the Rule element. */
  readonly onDone: (xml: string) => void;
  readonly onClose: () => void;
}

const ACCEPT: readonly RuleActionDto[] = [{ element: 'Accept' }];
const FRESH: readonly RuleMatchDto[] = [{ element: 'Atom', field: 'url', kind: 'prefix', litteral: true, value: '' }];

/** Edits a rule in a form, if all of its conditions have to hold, or as XML. */
export function RuleEditor({ rule, part, file, onDone, onClose }: EditorProps): JSX.Element {
  const [match, setMatch] = useState(rule?.match ?? FRESH);
  const [actions, setActions] = useState(rule?.actions ?? ACCEPT);
  const [xml, setXml] = useState(rule?.xml ?? '');
  /** The initial text of the XML editor. */
  const [start, setStart] = useState(xml);
  const nested = match.some(({ children }) => children?.length);
  const [asXml, setAsXml] = useState(nested);
  const filled = match !== (rule?.match ?? FRESH) || actions !== (rule?.actions ?? ACCEPT);
  const configuration = joinPart(part, '');
  const { checked, check } = useDraftCheck(
    (text) => ({ xml: joinPart(part, text) }),
    (problem, text) => (problem.file === file ? toPartPosition(part, text, problem) : undefined),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    onDone(asXml ? xml : buildRuleXml(match, actions, configuration));
  };
  const switchToXml = (): void => {
    const written = rule && !filled ? rule.xml : buildRuleXml(match, actions, configuration);
    setXml(written);
    setStart(written);
    setAsXml(true);
  };
  return (
    <Dialog title={rule ? `Rule ${rule.index + 1}` : 'New rule'} onClose={onClose} typed={filled || xml !== start} wide>
      <form class="stack" onSubmit={submit}>
        {asXml ? (
          <RuleXml text={start} checked={checked} check={check} onChange={setXml} />
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
          <button type="submit" class="button primary" disabled={asXml && checked.errors > 0}>
            Preview…
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface XmlProps extends Checking {
  readonly text: string;
  readonly onChange: (xml: string) => void;
}

const RuleXml = ({ text, checked, check, onChange }: XmlProps): JSX.Element => (
  <div class="field">
    <div class="row">
      <span class="label">Rule element</span>
      <CheckSummary checked={checked} />
    </div>
    <CodeEditor label="Rule element" language="xml" text={text} editable onChange={onChange} check={check} />
  </div>
);
