import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { formatReference } from '../../ui/secret-value.js';
import { ApplyDialog } from './apply-dialog.js';
import { CheckSummary, useDraftCheck } from './checking.js';
import { CodeEditor } from './code-editor.js';
import { type LoadedForms, loadForms } from './load.js';
import { useUnsavedText } from './unsaved.js';

export function XmlScreen(): JSX.Element {
  const forms = useResource('configuration forms', loadForms);
  return (
    <ResourceView resource={forms}>
      {(configuration) => <XmlEditor key={configuration.etag} configuration={configuration} onApplied={forms.reload} />}
    </ResourceView>
  );
}

function XmlEditor({ configuration, onApplied }: { configuration: LoadedForms; onApplied: () => void }): JSX.Element {
  const { query } = useRoute();
  const mayChange = useHasRole('admin');
  const {
    text: xml,
    initialState,
    changed,
    etag,
    updateText,
    discard,
    markSaved,
  } = useUnsavedText('xml', configuration.xml, configuration.etag);
  const { problemCounts, check } = useDraftCheck(
    (text) => ({ xml: text }),
    ({ file, line, column }) => (file === configuration.file ? { line, column } : undefined),
  );
  const [applying, setApplying] = useState(false);
  return (
    <Panel
      title="CrawlConfig.xml"
      aside={
        mayChange ? (
          <>
            <CheckSummary problemCounts={problemCounts} />
            {changed && (
              <button type="button" class="button" onClick={discard}>
                Discard
              </button>
            )}
            <button
              type="button"
              class="button primary"
              disabled={!changed || problemCounts.errors > 0}
              onClick={() => setApplying(true)}
            >
              Preview and save…
            </button>
          </>
        ) : (
          'read-only: changes require the role admin'
        )
      }
    >
      <CodeEditor
        key={initialState.generation}
        label="CrawlConfig.xml"
        language="xml"
        text={initialState.text}
        line={Number(query.get('line')) || undefined}
        editable={mayChange}
        elements={configuration.elements}
        onChange={updateText}
        check={check}
      />
      <p class="muted">
        Passwords and keys are stored under <a href={href('/configuration', { view: 'secrets' })}>Secrets</a>, and
        written here by name, like <code>{formatReference('NAME')}</code>. Control-Space offers completions, Control-F
        searches, F8 goes to the next problem, Control-Shift-M opens the list of problems, and Escape followed by Tab
        leaves the editor.
      </p>
      {applying && (
        <ApplyDialog
          title="Save the configuration"
          draft={{ xml }}
          etag={etag}
          onApplied={() => {
            setApplying(false);
            markSaved();
            onApplied();
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </Panel>
  );
}
