import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleActionDto, RuleDto, RuleMatchDto } from '../../api/schema.js';
import { Dialog } from '../../ui/dialog.js';
import { ActionFields } from './rule-actions.js';
import { MatchFields } from './rule-match.js';
import { ruleXml } from './rule-text.js';

interface EditorProps {
  /** Absent: a new one. */
  readonly rule?: RuleDto;
  readonly configuration: string;
  /** Gets the Rule element. */
  readonly onDone: (xml: string) => void;
  readonly onClose: () => void;
}

const FRESH: readonly RuleMatchDto[] = [{ element: 'Atom', field: 'url', kind: 'prefix', litteral: true, value: '' }];

/** As a form, or as XML: the form for rules whose conditions all have to hold, XML for everything. */
export function RuleEditor({ rule, configuration, onDone, onClose }: EditorProps): JSX.Element {
  const [match, setMatch] = useState<readonly RuleMatchDto[]>(rule?.match ?? FRESH);
  const [actions, setActions] = useState<readonly RuleActionDto[]>(rule?.actions ?? [{ element: 'Accept' }]);
  const [xml, setXml] = useState(rule?.xml ?? '');
  const nested = match.some(({ children }) => children?.length);
  const [asXml, setAsXml] = useState(nested);
  const done = (event: Event): void => {
    event.preventDefault();
    onDone(asXml ? xml : ruleXml(match, actions, configuration));
  };
  const toXml = (): void => {
    const untouched = rule && match === rule.match && actions === rule.actions;
    setXml(untouched ? rule.xml : ruleXml(match, actions, configuration));
    setAsXml(true);
  };
  return (
    <Dialog title={rule ? `Rule ${rule.index + 1}` : 'New rule'} onClose={onClose} wide>
      <form class="stack" onSubmit={done}>
        {asXml ? (
          <div class="field">
            <label for="rule-xml">Rule element</label>
            <textarea
              id="rule-xml"
              class="mono"
              rows={10}
              required
              spellcheck={false}
              value={xml}
              onInput={(event) => setXml(event.currentTarget.value)}
            />
            <span class="hint">Mistakes are told with the preview; nothing is saved before.</span>
          </div>
        ) : (
          <>
            <MatchFields match={match} onChange={setMatch} />
            <ActionFields actions={actions} onChange={setActions} />
          </>
        )}
        <footer class="actions end">
          {!asXml && (
            <button type="button" class="button" onClick={toXml}>
              Edit as XML
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Preview…
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
